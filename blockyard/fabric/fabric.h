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
#include "blockyard/fabric/landing.h"

namespace blockyard::fabric {

/// The bulk of a message. Shared by all holders of its block (its home, the caches of
/// workers in the same process or, where memory is shared, on the same node) and never changed
/// while more than one holds it. Release it before the run ends.
using Payload = std::shared_ptr<const base::Buffer>;

/// Writes a payload that is sent while it is being written, from beginning to end. Bytes once
/// written no longer change.
class Source {
 public:
  virtual ~Source() = default;
  /// How many bytes are written by now. Any thread.
  [[nodiscard]] virtual std::size_t ready() noexcept = 0;
  /// The size of a piece; the last may be shorter.
  [[nodiscard]] virtual std::size_t piece_bytes() const noexcept = 0;
  /// Where they are, if not in the payload: in device memory, for fabrics that can read it
  /// (Fabric::reads_devices). They stay there as long as the source. After ready(). Any thread.
  [[nodiscard]] virtual const std::byte* place() { return nullptr; }
  /// Returns when all are written, in the payload. Only during send, by the thread that calls it.
  virtual void finish() = 0;
};

struct Message {
  int from = -1;
  std::vector<std::byte> head;                 ///< an encoded message of room `wire`
  Payload payload;                             ///< may be null
  std::shared_ptr<Source> source = nullptr;    ///< still writes the payload; null: it is whole
  std::shared_ptr<Landing> landing = nullptr;  ///< what there is in place of the payload
};

/// Takes messages in the place of a rank that sleeps.
class Receiver {
 public:
  /// What became of a message: it is left as it was and waits for the rank; taken; taken, and the
  /// rank has to look after what follows from it: its poll returns.
  enum class Taken : std::uint8_t { no, yes, wakes };
  virtual ~Receiver() = default;
  /// By the thread of whoever sends it, while that of the rank is in poll; one at a time.
  [[nodiscard]] virtual Taken take(Message& message) = 0;
};

/// Names an operation on a window that was begun and may not be complete.
using Ticket = std::uint64_t;

/// Communication of ranks. One object per rank, used by that rank's thread; `abort`: any thread.
/// Messages between two ranks arrive in the order they were sent.
/// Once any rank called abort, every call of every rank throws Error{comm} with its cause.
class Fabric {
 public:
  virtual ~Fabric() = default;

  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;

  /// Sends to any rank, itself included. Never waits for the receiver. `message.from` is filled in.
  /// The payload is immutable once sent, unless the caller is its sole
  /// owner.
  virtual void send(int to, Message message) = 0;
  /// Whether sending a payload to a rank takes time: then one with a source is sent while being
  /// written. For other ranks, send waits for the source.
  [[nodiscard]] virtual bool is_remote(int /*to*/) const noexcept { return false; }
  /// Whether a payload of this size to a rank may live in device memory only; its source then
  /// may return a place. If it does, only the payload's size is used.
  [[nodiscard]] virtual bool reads_devices(int /*to*/, std::size_t /*bytes*/) const noexcept {
    return false;
  }
  /// The next message, or nothing if none came within `wait_seconds` (0: only look), or if the
  /// receiver of this rank wakes it.
  [[nodiscard]] virtual std::optional<Message> poll(double wait_seconds) = 0;
  /// The thread of this rank has a core of its own: from now on poll looks for a message, for about
  /// as long as a wake-up takes, before it sleeps.
  virtual void stay_awake() {}
  /// From now on, until null is given, those of this process that send to this rank while it
  /// sleeps in poll, with no message before theirs, may offer theirs to `receiver`: what would wake
  /// a thread for a microsecond's work is done at once. A fabric may have no use for it.
  virtual void receive_by(Receiver* /*receiver*/) {}
  /// From now on, until an empty function is given, `name` is asked for memory for the payloads
  /// that other processes send to this rank. Short ones, and those of a node that are read where
  /// they lie, come as payloads nevertheless.
  virtual void land_by(NameLanding /*name*/) {}

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

  /// Collective. Returns when all ranks have called it.
  virtual void barrier() = 0;
  /// Collective. Copies `bytes` of `root` to all.
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  /// Collective. Each value becomes the sum over ranks, added along the tree of rank_tree.h: in an
  /// order that the number of ranks alone determines.
  virtual void reduce(std::span<double> values) = 0;

  /// Ends the run: all ranks get Error{comm} with the first cause.
  virtual void abort(std::string_view cause) noexcept = 0;
};

}  // namespace blockyard::fabric
