// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "blockyard/program/program.h"

namespace blockyard::worker {

/// A worker's wish for the barrier that it reaches.
enum class Wish : std::uint8_t { none, save, save_and_stop };

/// Takes records of bytes, one after the other.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual void add(std::span<const std::byte> record) = 0;
};

/// Gives them back in the same order.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  [[nodiscard]] virtual std::vector<std::byte> next() = 0;
  /// Throws Error{bad_input} if the record has another length.
  virtual void next(std::span<std::byte> into) = 0;
};

/// A checkpoint being written: the prefix of the paths of its files, and its number.
struct CheckpointPlace {
  std::string folder;
  std::uint64_t id = 0;
};

/// Where workers put their state, and when: the job knows. One object for each process.
class Checkpoints {
 public:
  virtual ~Checkpoints() = default;
  /// Asked by each worker at each barrier; workers agree on the strongest wish.
  [[nodiscard]] virtual Wish wish(int worker) = 0;
  /// Worker 0: a checkpoint begins; `in_program`: in the middle of one. Throws Error{io}.
  [[nodiscard]] virtual CheckpointPlace begin(bool in_program) = 0;
  /// Any worker: `write` adds its state. Returns when that is safe on disk. Throws Error{io}.
  virtual void write(const CheckpointPlace& place, int worker,
                     const std::function<void(RecordSink&)>& write) = 0;
  /// Worker 0: all files are there. From now on this is the checkpoint to resume from.
  virtual void finish(const CheckpointPlace& place) = 0;
  /// Any worker, after finish: what the job ends with if it is to stop.
  [[nodiscard]] virtual std::string stop_text() const = 0;
};

/// The point from which a worker resumes.
struct Resume {
  RecordSource& state;           ///< what Checkpoints::write got
  const CheckpointPlace& place;  ///< of the checkpoint
  int servers = 0;               ///< that wrote it
};

/// What the workers of a checkpoint have each for itself and may still read: values that differ,
/// and parts of sums. Names for messages. Empty: any number of workers can go on. `sources` are
/// read from their begin.
[[nodiscard]] std::vector<std::string> live_differences(const program::Program& program,
                                                        std::span<RecordSource* const> sources);

/// The name in its folder of the file that server `server` writes.
[[nodiscard]] std::string server_file(int server);
[[nodiscard]] std::string worker_file(int worker);

}  // namespace blockyard::worker
