// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "blockyard/base/buffer.h"
#include "blockyard/device/device.h"
#include "blockyard/device/host_locks.h"
#include "blockyard/fabric/fabric.h"

namespace blockyard::ring {

class Slots;

/// Memory of a device for an item. Goes back to its Slots with its last holder: the ring where the
/// item is, until the work that reads it is done; those of this process that copy from it; sends.
class Slot final : public fabric::Landing {
 public:
  Slot(std::shared_ptr<Slots> slots, std::size_t bytes, device::Memory memory, device::Event event)
      : slots_(std::move(slots)),
        bytes_(bytes),
        memory_(std::move(memory)),
        written_(std::move(event)) {}
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  ~Slot() override;

  [[nodiscard]] std::size_t bytes() const noexcept override { return bytes_; }
  [[nodiscard]] std::byte* place() noexcept override { return place_; }
  void came(std::size_t offset, std::size_t count) override;

  [[nodiscard]] device::Address address() const noexcept { return memory_.address(); }
  [[nodiscard]] device::Device& device() const noexcept;
  [[nodiscard]] bool is_of(const Slots& slots) const noexcept { return slots_.get() == &slots; }
  /// Of the work that writes it. Recorded before any other holder has the slot.
  [[nodiscard]] const device::Event& written() const noexcept { return written_; }
  /// Lets go of what it was copied from. REQUIRES: it is written.
  void forget_source() noexcept {
    source_.reset();
    pieces_ = base::Buffer();
  }

 private:
  friend class Slots;
  std::shared_ptr<Slots> slots_;
  std::size_t bytes_;
  device::Memory memory_;
  device::Event written_;
  bool is_sealed_ = false;      ///< written_ was recorded
  std::byte* place_ = nullptr;  ///< where the network writes
  /// Read by copies until written() is done: pieces of the host, a payload, the slot of another.
  base::Buffer pieces_;
  std::shared_ptr<const void> source_;
};

/// The slots of a rank on its device. Items come by one stream and leave by another, so that
/// neither waits for updates. Shared by the ring and by slots that outlive it. Any thread, but
/// functions that fill a slot: that of the rank.
class Slots : public std::enable_shared_from_this<Slots> {
 public:
  explicit Slots(device::Device& device);
  ~Slots();
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;

  /// A slot that `write` fills, by work that it enqueues on the stream. Throws Error{no_memory}.
  template <class Write>
  [[nodiscard]] std::shared_ptr<Slot> fill(std::size_t bytes, const Write& write) {
    std::shared_ptr<Slot> slot = take(bytes);
    const std::lock_guard lock(in_mutex_);
    write(*slot, in_);
    in_.record(slot->written_);
    slot->is_sealed_ = true;
    return slot;
  }
  /// A copy of memory of the host.
  [[nodiscard]] std::shared_ptr<Slot> fill(const fabric::Payload& payload);
  /// The slot itself, if it is one of this device, also a landing that has come; else a copy of it.
  /// REQUIRES: that of another device is written.
  [[nodiscard]] std::shared_ptr<Slot> fill(const std::shared_ptr<Slot>& other);
  /// A copy of it in memory of the host. REQUIRES: it is written.
  [[nodiscard]] static fabric::Payload on_host(const std::shared_ptr<Slot>& slot);
  /// Memory for a payload to come; null: there is none.
  [[nodiscard]] std::shared_ptr<fabric::Landing> land(std::size_t bytes, bool writes_to_devices);

  /// What sends a slot that is written to another process: a payload and its source.
  void put_into(fabric::Message& message, const std::shared_ptr<Slot>& slot, bool reads_devices);

  [[nodiscard]] device::Device& device() const noexcept { return device_; }
  /// The most memory of the device that slots took.
  [[nodiscard]] std::int64_t peak_bytes() const;
  /// Returns when all copies have ended.
  void rest() noexcept;
  /// Throws the first failure of a copy that nothing else reports.
  void check();

 private:
  friend class Slot;
  struct Spare {
    device::Memory memory;
    device::Event event;
  };
  class Sending;

  /// All that fills it is enqueued.
  void seal(Slot& slot);
  [[nodiscard]] std::shared_ptr<Slot> take(std::size_t bytes);
  [[nodiscard]] std::optional<Spare> find(std::size_t bytes);
  void give_back(Slot& slot) noexcept;
  /// Page-locked, where the device can.
  [[nodiscard]] base::Buffer pieces(std::size_t bytes);
  /// The same, which keeps the slots, whose pool it is of.
  [[nodiscard]] std::shared_ptr<base::Buffer> shared_pieces(std::size_t bytes);
  void copy_out(const Slot& slot, std::span<std::byte> into);
  /// In a handler of an exception.
  void note_failure() noexcept;

  device::Device& device_;
  base::BufferPool pool_;  ///< of pieces
  std::optional<device::HostLocks> locks_;
  mutable std::mutex mutex_;                 ///< guards to the next empty line
  std::multimap<std::size_t, Spare> spare_;  ///< by bytes of memory
  std::int64_t bytes_ = 0;
  std::int64_t peak_bytes_ = 0;
  std::exception_ptr failure_;

  std::mutex in_mutex_;
  device::Stream in_;
  std::mutex out_mutex_;
  device::Stream out_;
};

}  // namespace blockyard::ring
