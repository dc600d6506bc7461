// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "blockyard/wire/messages.h"

namespace blockyard::server {

/// Positions first .. last-1 of a loop.
struct Range {
  std::int64_t first = 0;
  std::int64_t last = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

/// Deals loops out in chunks that shrink, so that all sharers end at about the same time:
/// a chunk is what is left divided by twice the sharers, at least 1.
/// Source: Polychronopoulos, Kuck, Guided self-scheduling, IEEE Trans. Comput. C-36 (1987), with
/// half its chunk: iterations over sparse blocks differ more than those of its loops.
/// One thread.
class ChunkCounters {
 public:
  /// The next chunk of loop `counter`, empty once all is dealt out. The loop begins with the first
  /// that asks; it is forgotten when each of `sharers` got an empty chunk.
  /// Throws Error{comm} if the sharers do not agree on `total`.
  [[nodiscard]] Range take(std::uint64_t counter, std::int64_t total, std::int32_t sharers);
  /// The same for lists of positions, one for each sharer, as TakeChunk says.
  [[nodiscard]] Range take_near(const wire::TakeChunk& request);
  void clear() noexcept {
    loops_.clear();
    near_loops_.clear();
  }
  [[nodiscard]] std::size_t size() const noexcept { return loops_.size() + near_loops_.size(); }

 private:
  struct Loop {
    std::int64_t total = 0;
    std::int64_t next = 0;
    std::int32_t finished = 0;
  };
  struct NearLoop {
    std::vector<Range> lists;  ///< what is left of each
    std::int32_t finished = 0;
  };
  std::unordered_map<std::uint64_t, Loop> loops_;
  std::unordered_map<std::uint64_t, NearLoop> near_loops_;
};

}  // namespace blockyard::server
