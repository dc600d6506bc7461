// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "blockyard/remote/messages.h"
#include "blockyard/remote/server/plans.h"
#include "blockyard/remote/server/shared_use.h"
#include "blockyard/remote/server/staging.h"

/// The state of a server for one client. Numbers and addresses of a client are names in its own
/// tables, checked before anything of a device sees them.
namespace blockyard::remote {

/// A device that a server lends.
struct Export {
  const blockyard_device_table* table = nullptr;
  std::uint32_t index = 0;
  std::string options;  ///< of the server; clients set memory= only
  std::string kind;     ///< host, sim, opencl, cuda
  std::shared_ptr<SharedUse> use = std::make_shared<SharedUse>();  ///< shared by its clients
  std::shared_ptr<const HostDevice> host = nullptr;  ///< does what it does not know; shared as well
  std::uint32_t number = index;                      ///< among those of its kind on this machine
};

/// The connection to the client. Any thread.
struct Wire {
  std::function<void(const rpc::Outgoing&)> send;  ///< throws Error{comm}
  std::function<void()> cut;                       ///< throws nothing
  /// Notifies the client that all up to there is done, soon and by another thread. Throws nothing.
  std::function<void(const Place&)> tell_later;
};

class Lane;

/// A device opened for a client. One thread, that which receives; its lanes have their own.
class Exported {
 public:
  /// `seat` is the client's, and outlives this. With timed=1 among the options it counts what work
  /// took by its kind. Throws Error{device} with the device's text if it
  /// cannot be opened.
  Exported(const Export& source, std::uint32_t number, const std::string& options,
           std::uint64_t limit_bytes, Seat& seat, Wire wire);
  /// Ends its work, as `end` and `stop` do.
  ~Exported();
  /// What has not begun never happens; returns at once.
  void end() noexcept;
  /// Ends it and returns when nothing of it touches memory any more, also that of other devices.
  void stop() noexcept;
  Exported(const Exported&) = delete;
  Exported& operator=(const Exported&) = delete;

  [[nodiscard]] Answer describe();
  [[nodiscard]] Answer allocate(std::uint64_t bytes);
  /// Whether copies to other devices that are not done read it.
  [[nodiscard]] bool is_read_by_others(std::uint64_t address) const;
  /// Once it is not: work of this device may still use it.
  void release(std::uint64_t address);
  /// `tell` is called when it is made, maybe on another thread.
  void open_plan(const Plan& asked, Plans::Tell tell);
  void close_plan(std::uint32_t plan);
  void open_stream(std::uint32_t stream);
  void close_stream(std::uint32_t stream);
  [[nodiscard]] std::size_t streams() const noexcept { return lanes_.size(); }
  /// Returns when all that was enqueued is done.
  void finish();

  /// Throws Error{bad_input} if the numbers, or their targets, are not this client's.
  void copy_in(const Copy& copy, std::shared_ptr<std::vector<std::byte>> bytes);
  void copy_out(const Copy& copy);
  void copy_within(const Copy& copy);
  void copy_from(Exported& other, const Copy& copy);
  void fill(const Fill& fill);
  void run(const Run& run);
  void record(const Place& place);
  void wait(const Wait& wait);
  /// Where the bytes of a copy may land at once: the stream is idle and the memory the host's.
  /// Null: they may not.
  [[nodiscard]] std::byte* landing(const Copy& copy);

 private:
  friend class Lane;
  struct Allocation {
    blockyard_address real = 0;
    std::uint64_t bytes = 0;
    /// Also of copies to other devices that are not done.
    std::shared_ptr<const void> use = std::make_shared<char>();
  };
  /// Memory that is freed when earlier enqueued work is done.
  struct Leaving {
    Allocation allocation;
    std::map<std::uint32_t, std::uint64_t> until;  ///< by stream
  };

  [[nodiscard]] std::map<std::uint64_t, Allocation>::const_iterator find(std::uint64_t address,
                                                                         std::uint64_t bytes) const;
  [[nodiscard]] blockyard_address real(std::uint64_t address, std::uint64_t bytes) const;
  [[nodiscard]] const std::shared_ptr<Lane>& find_lane(const Place& place) const;
  [[nodiscard]] std::string last_error() const;
  [[nodiscard]] Answer answer(blockyard_status status) const;
  [[nodiscard]] bool wipe(const Allocation& allocation);
  [[nodiscard]] blockyard_status copy_by_host(Lane& lane, blockyard_address to, Exported& other,
                                              blockyard_address from, std::uint64_t bytes);
  [[nodiscard]] Answer make_plan(const Plan& asked, OpenPlan& made) const;
  [[nodiscard]] bool may_be_planned(std::uint64_t largest_bytes) const;
  [[nodiscard]] bool has_host_room(std::uint64_t largest_bytes) const;
  void let_go(bool waits);
  void give_back(const Allocation& allocation);
  [[nodiscard]] Answer allocate_now(std::uint64_t bytes);

  Export source_;
  std::uint32_t number_;
  std::uint64_t limit_bytes_;
  Seat& seat_;
  Wire wire_;
  blockyard_device* device_ = nullptr;
  blockyard_stream* wiping_ = nullptr;
  bool is_host_memory_ = false;
  bool is_timed_ = false;
  std::uint64_t next_address_ = std::uint64_t{1} << 20;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t memory_bytes_ = 0;  ///< of the device; 0: it does not say
  std::map<std::uint64_t, Allocation> allocations_;
  std::vector<Leaving> leaving_;
  Plans plans_;
  std::mutex mutex_;  ///< guards how far the lanes are
  std::condition_variable changed_;
  std::size_t waiting_tasks_ = 0;                         ///< of all lanes; guarded by the mutex
  std::map<std::uint32_t, std::shared_ptr<Lane>> lanes_;  ///< shared by those that wait for one
};

}  // namespace blockyard::remote
