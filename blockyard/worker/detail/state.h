// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "blockyard/array/block_id.h"
#include "blockyard/array/index.h"
#include "blockyard/worker/checkpoint.h"
#include "blockyard/worker/environment.h"

namespace blockyard::worker::detail {

/// What a frame in a checkpoint is the memory of.
struct SavedFrame {
  enum class Kind : std::uint8_t { whole, temp, local, region };
  Kind kind = Kind::whole;
  std::uint8_t is_allocated = 0;                     ///< of a local: by a statement
  array::BlockId id;                                 ///< the number counts for temp and local only
  std::array<std::int64_t, array::max_order> low{};  ///< of a region: segments
  std::array<std::int64_t, array::max_order> high{};
  std::uint64_t bytes = 0;
  [[nodiscard]] bool is_same_place(const SavedFrame& other) const {
    return kind == other.kind && id == other.id && low == other.low && high == other.high &&
           bytes == other.bytes;
  }
};

/// A worker in the middle of a program, at a barrier outside of pardos: everything but the bytes of
/// its frames, which follow as records in the order of `frames`. Plain values.
struct ProgramState {
  struct OpenDo {
    std::int32_t index = 0;
    std::int64_t last = 0;
    friend bool operator==(const OpenDo&, const OpenDo&) = default;
  };
  struct Made {
    std::uint8_t record = 0;
    array::BlockId id;
    friend bool operator==(const Made&, const Made&) = default;
  };
  struct Mark {
    std::int32_t id = 0;
    std::int32_t text = 0;
    friend bool operator==(const Mark&, const Mark&) = default;
  };
  using Bounds = std::array<std::int64_t, 2 * array::max_order>;

  std::int32_t pc = 0;
  std::uint64_t epoch = 0;
  std::uint8_t do_all_print = 0;
  std::vector<std::int32_t> calls;
  std::vector<std::int64_t> ints;
  std::vector<std::complex<double>> scalars;
  std::vector<std::int64_t> index_values;
  std::vector<OpenDo> loops;
  std::vector<std::uint64_t> entered;  ///< how often each pardo was begun
  std::vector<Bounds> region_bounds;
  std::vector<Made> scope;
  std::vector<std::uint64_t> scope_begins;
  std::vector<Mark> marked_arrays;
  std::vector<Mark> marked_scalars;
  std::vector<SavedFrame> frames;
};

[[nodiscard]] std::vector<std::byte> encode(const ProgramState& state);
/// Throws Error{bad_input}.
[[nodiscard]] ProgramState decode_program_state(std::span<const std::byte> bytes);
/// Throws the Error{bad_input} of a state that is of another program.
[[noreturn]] void refuse_state();

/// What a worker holds besides its program.
struct JobState {
  bool in_program = false;
  Kept kept;
  std::map<std::string, DenseArray, std::less<>> arrays;  ///< of the environment
};
[[nodiscard]] std::vector<std::byte> encode(const JobState& state);
[[nodiscard]] JobState decode_job_state(std::span<const std::byte> bytes);

}  // namespace blockyard::worker::detail
