// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "blockyard/base/buffer.h"
#include "blockyard/device/device.h"
#include "blockyard/device/host_locks.h"
#include "blockyard/device/loader.h"
#include "blockyard/input/spec.h"
#include "blockyard/worker/device_supply.h"

namespace blockyard::job {

/// A device as described in a report.
struct DeviceInfo {
  std::string name;
  std::int64_t memory_bytes = 0;  ///< 0: not known
  std::string choices = {};       ///< lines on what it has chosen by itself, and why
  friend bool operator==(const DeviceInfo&, const DeviceInfo&) = default;
};

/// The workers of this process, of all processes on this machine, and the number of the first here
/// less its place among those of the machine.
struct DeviceUsers {
  int here = 1;
  int on_machine = 1;
  int first_here = 0;
};

/// Throws Error{bad_input}, with the kinds that there are, if the kind has no plug-in in the folder
/// of plug-ins. Loads nothing.
void check_device_kind(const input::DeviceSpec& spec);

/// The devices that help the workers of this process: worker w of the machine works with device w
/// modulo their number. Loading a driver is slow: where statements go to the faster side
/// (DeviceSpec::learns()) it is done in a thread of its own, once the job has shown that it is
/// worthwhile; other devices are opened at once, also in that thread, as drivers may hang.
class Devices final : public worker::DeviceSupply {
 public:
  /// Begins to open them, or waits for work. For `auto` they are GPUs, or nothing; never a CPU
  /// that a driver presents as a device.
  /// users             whether other processes see the same devices is not known: those here take
  ///                   their part of what is free there, and all that spec.memory_bytes says
  /// host_share_bytes  what a device that computes in the memory of the host may take there
  /// blocks            the memory of all blocks here, of which up to lock_limit_bytes are locked
  /// Throws Error{bad_input} if the kind that is asked for has no plug-in, with what to do.
  Devices(const input::DeviceSpec& spec, const DeviceUsers& users, std::int64_t host_share_bytes,
          base::BufferPool& blocks, std::int64_t lock_limit_bytes);
  ~Devices() override;

  /// Returns when devices that wait for no work are open; by one thread, before the others below.
  /// Calls `look` again and again meanwhile and throws what that throws: then the driver may still
  /// be at work. Throws Error{device} if the kind that is asked for is not there, with what to do.
  void wait_until_open(const std::function<void()>& look);

  /// False: there are none and none will be opened.
  [[nodiscard]] bool is_possible() const noexcept { return is_possible_; }
  [[nodiscard]] const worker::DeviceShare* share(int worker) noexcept override;
  void note_work(double seconds) noexcept override;
  [[nodiscard]] const worker::DeviceShare* open(int worker,
                                                const std::function<void()>& look) override;
  [[nodiscard]] bool may_come() const noexcept override { return may_come_; }
  /// Why the device that the job names could not be opened; null: no failure. Any thread.
  [[nodiscard]] std::exception_ptr failure();
  /// Null: no host memory is locked yet. Any thread.
  [[nodiscard]] device::HostLocks* host_locks() noexcept { return shown_locks_; }

  /// From now on no device starts to open. False: one is being opened; ask again. Never waits for a
  /// driver.
  [[nodiscard]] bool try_end_opening() noexcept;
  /// The kind that was found: none, sim, that of a plug-in; if none was opened for lack of work,
  /// what the job names. Valid, as the next, once opening has ended.
  [[nodiscard]] const std::string& kind() const noexcept { return kind_; }
  /// With the current names: the work may have shown what a device lacks. A lost one has its name
  /// from when it was opened.
  [[nodiscard]] std::vector<DeviceInfo> infos() const;

 private:
  void wait_for_driver(std::unique_lock<std::mutex>& lock, const std::function<void()>& look);
  void open_when_wanted() noexcept;
  void try_open_all();
  void open_all();
  void open_kind(const std::string& kind, bool only_gpus);
  [[nodiscard]] bool cut_blocks_from_chunks();
  void share_memory();
  void forget() noexcept;
  void warm();

  input::DeviceSpec spec_;
  DeviceUsers users_;
  std::int64_t host_share_bytes_;
  base::BufferPool& blocks_;
  std::int64_t lock_limit_bytes_;
  bool is_possible_ = false;
  bool awaits_work_ = false;
  double after_seconds_ = 0;  ///< of work, or of the run where the kind is named

  // Made by the thread that opens; others see them once is_open_ says so.
  std::optional<device::Plugin> plugin_;
  std::deque<device::Device> devices_;
  std::optional<device::HostLocks> locks_;
  block::PeerCopies peers_;
  std::vector<worker::DeviceShare> shares_;  ///< by device
  std::vector<DeviceInfo> infos_;
  std::string kind_ = "none";
  std::atomic<bool> is_open_ = false;
  std::atomic<bool> may_come_ = false;  ///< false: none is open, and none will be
  std::atomic<device::HostLocks*> shown_locks_ = nullptr;

  std::atomic<double> worked_seconds_ = 0;
  std::mutex mutex_;  ///< guards the next five
  std::condition_variable changed_;
  bool is_wanted_ = false;
  bool is_ended_ = false;
  bool is_opening_ = false;  ///< a driver may be at work
  bool has_tried_ = false;
  std::exception_ptr failure_;
  std::thread opener_;
};

}  // namespace blockyard::job
