// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "blockyard/rpc/transport.h"

namespace blockyard::rpc::shared {

inline constexpr std::size_t ring_bytes = std::size_t{2} << 20;

/// One direction as it lies in memory that two processes have. Counts only grow.
struct RingState {
  alignas(64) std::atomic<std::uint64_t> written;
  alignas(64) std::atomic<std::uint64_t> read;
  alignas(64) std::atomic<std::uint32_t> reader_waits;
  alignas(64) std::atomic<std::uint32_t> writer_waits;
  alignas(64) std::byte bytes[ring_bytes];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// How an end waits for the other one, and wakes it.
struct Bell {
  std::function<bool()> wait;  ///< false: the other end has gone
  std::function<void()> ring;
};

/// The end that writes. What the other process does to the counts costs it the connection, nothing
/// else: they are checked against an own copy. One thread.
class RingWriter {
 public:
  RingWriter(RingState& state, Bell bell) : state_(state), bell_(std::move(bell)) {}
  /// As Transport::send; 0: the other end has gone. Throws Error{comm}.
  [[nodiscard]] std::size_t write(std::span<const Bytes> parts);

 private:
  [[nodiscard]] std::size_t room() const;
  RingState& state_;
  Bell bell_;
  std::uint64_t written_ = 0;
};

/// The end that reads. One thread.
class RingReader {
 public:
  RingReader(RingState& state, Bell bell) : state_(state), bell_(std::move(bell)) {}
  /// As Transport::receive. Throws Error{comm}.
  [[nodiscard]] std::size_t read(std::span<std::byte> into);

 private:
  [[nodiscard]] std::size_t filled() const;
  RingState& state_;
  Bell bell_;
  std::uint64_t read_ = 0;
};

}  // namespace blockyard::rpc::shared
