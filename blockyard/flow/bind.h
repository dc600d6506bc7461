// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "blockyard/array/grid.h"
#include "blockyard/flow/environment.h"
#include "blockyard/program/program.h"

namespace blockyard::flow {

/// The range of an index in this run: segment numbers first..last, empty if last < first. Of a
/// subindex: subsegment numbers.
struct IndexRange {
  std::int64_t first = 1;
  std::int64_t last = 0;
};

/// A piece of a segment. The subsegments of a kind are numbered from 1 over all its segments.
struct Subsegment {
  std::int64_t segment = 1;
  Extent offset = 0;  ///< elements of the segment before it
  Extent extent = 1;
};

/// The subsegments of one index kind: computed, for there are many in a long segment.
class Subsegments {
 public:
  Subsegments() = default;
  /// Of these segments, all of `length` elements but the last of each.
  Subsegments(std::span<const Extent> segments, Extent length);

  /// Subsegments of segment `segment`, in the numbering of the kind.
  [[nodiscard]] IndexRange range_of(std::int64_t segment) const noexcept {
    return {first_[static_cast<std::size_t>(segment - 1)],
            first_[static_cast<std::size_t>(segment)] - 1};
  }
  /// Subsegment `number`, from 1 to the last of the last segment.
  [[nodiscard]] Subsegment at(std::int64_t number) const noexcept;
  /// As many as the segment has that has most.
  [[nodiscard]] std::int64_t most() const noexcept;

 private:
  std::vector<Extent> extents_;      ///< of the segments
  std::vector<std::int64_t> first_;  ///< subsegment of segment s at s - 1, and one past the end
  Extent length_ = 1;
};

/// A program with the sizes of this run: what the tables of the program mean in elements.
struct Tables {
  std::vector<std::int64_t> ints;             ///< initial values, one per Program::ints
  std::vector<std::complex<double>> scalars;  ///< initial values, one per Program::scalars
  std::vector<IndexRange> indexes;            ///< one per Program::indexes
  std::vector<array::Grid> grids;             ///< one per Program::arrays
  std::array<Subsegments, array::kind_count> subsegments;  ///< by kind
};

/// Gives numbers to a verified program.
/// Throws Error{bad_input} that names the declaration (with its line) and the constant or segment
/// table that is missing or does not fit.
[[nodiscard]] Tables bind(const program::Program& program, const Environment& environment);

/// What a program needs, in bytes, if every block has the largest extents of its array.
struct MemoryNeed {
  std::int64_t static_bytes = 0;  ///< static arrays of one worker
  /// The least for the blocks of one worker: what is alive at the same time in the most demanding
  /// nest of loops (temps, allocated locals, blocks that are got), and scratch for a contraction.
  std::int64_t block_bytes = 0;
  std::int64_t distributed_bytes = 0;  ///< all distributed and served arrays, if fully written
  std::int64_t largest_block_bytes = 0;
  std::string largest_block;   ///< its array, for messages: "'t' (x.sial:12)"
  std::string largest_static;  ///< the largest static array; empty if there is none
};
/// Amounts beyond any machine are capped, so that no sum overflows.
/// Cost: one pass over the code, with procs put in at their calls.
[[nodiscard]] MemoryNeed memory_need(const program::Program& program, const Tables& tables);

}  // namespace blockyard::flow
