// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "blockyard/base/buffer.h"

namespace blockyard::fabric {

/// The bulk of a message. Shared by everyone who holds the block it is (its home, the caches of
/// workers in the same process or, where memory is shared, on the same node) and never changed
/// while more than one holds it. To be let go before the run ends.
using Payload = std::shared_ptr<const base::Buffer>;

/// Writes a payload that is sent while it comes, from its beginning to its end. What is there does
/// not change any more.
class Source {
 public:
  virtual ~Source() = default;
  /// How many bytes are there by now. Any thread.
  [[nodiscard]] virtual std::size_t ready() noexcept = 0;
  /// How many come at a time; the last may be fewer.
  [[nodiscard]] virtual std::size_t piece_bytes() const noexcept = 0;
  /// Where they are, if not in the payload: in memory of a device, which a fabric reads that says
  /// so (Fabric::reads_devices). They stay there as long as the source. After ready(). Any thread.
  [[nodiscard]] virtual const std::byte* place() { return nullptr; }
  /// Returns when all are there, in the payload. Only during send, by the thread that calls it.
  virtual void finish() = 0;
};

struct Message {
  int from = -1;
  std::vector<std::byte> head;               ///< an encoded message of room `wire`
  Payload payload;                           ///< may be null
  std::shared_ptr<Source> source = nullptr;  ///< who still writes the payload; null: it is whole
};

/// Names an operation on a window that was begun and may not be complete.
using Ticket = std::uint64_t;

/// How ranks talk. One object per rank; used by the one thread of that rank, but `abort` by any.
/// Messages between two ranks arrive in the order they were sent.
/// Once any rank called abort, every call of every rank throws Error{comm} with its cause.
class Fabric {
 public:
  virtual ~Fabric() = default;

  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;

  /// Sends to any rank, itself included. Never waits for the receiver. `message.from` is filled in.
  /// The payload must not be changed by anyone afterwards, unless they find themselves its only
  /// holder.
  virtual void send(int to, Message message) = 0;
  /// Whether it takes time to bring a payload to a rank: then one with a source is sent while that
  /// writes it. To other ranks send waits for the source.
  [[nodiscard]] virtual bool is_remote(int /*to*/) const noexcept { return false; }
  /// Whether a payload of so many bytes to a rank may be where only a device has it: then the
  /// source has a place for it, or not. Of a payload that has one nothing is read but its length.
  [[nodiscard]] virtual bool reads_devices(int /*to*/, std::size_t /*bytes*/) const noexcept {
    return false;
  }
  /// The next message, or nothing if none came within `wait_seconds` (0: only look).
  [[nodiscard]] virtual std::optional<Message> poll(double wait_seconds) = 0;

  /// Collective. Makes memory of `bytes` on this rank (each rank its own length), zero, that all
  /// ranks reach by the returned number until the fabric ends.
  [[nodiscard]] virtual int window(std::size_t bytes) = 0;
  /// Copies from the window of `rank` at `offset`. Complete when done() says so.
  [[nodiscard]] virtual Ticket get(int window, int rank, std::size_t offset,
                                   std::span<std::byte> into) = 0;
  /// Copies to the window of `rank` at `offset`. `from` may be reused once done() says so.
  [[nodiscard]] virtual Ticket put(int window, int rank, std::size_t offset,
                                   std::span<const std::byte> from) = 0;
  /// Adds f64 values to the window of `rank` at `offset`, atomically per value.
  [[nodiscard]] virtual Ticket accumulate(int window, int rank, std::size_t offset,
                                          std::span<const double> values) = 0;
  [[nodiscard]] virtual bool done(Ticket ticket) = 0;

  /// Collective. Returns when all ranks came.
  virtual void barrier() = 0;
  /// Collective. `bytes` of `root` come to all.
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  /// Collective. Each value becomes the sum over ranks, added in the order of ranks.
  virtual void reduce(std::span<double> values) = 0;

  /// Ends the run: all ranks get Error{comm} with the first cause.
  virtual void abort(std::string_view cause) noexcept = 0;
};

}  // namespace blockyard::fabric
