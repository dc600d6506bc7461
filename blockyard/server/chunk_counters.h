// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "blockyard/wire/chunks.h"
#include "blockyard/wire/messages.h"

namespace blockyard::server {

/// Deals loops out in chunks that shrink (wire/chunks.h), after each sharer's initial share. One
/// thread.
class ChunkCounters {
 public:
  /// The next chunk of loop `counter`, empty once all is dealt out. The loop begins with the first
  /// that asks; it is forgotten when each of `sharers` that has work got an empty chunk.
  /// Throws Error{comm} if the sharers do not agree on `total`.
  [[nodiscard]] wire::Range take(std::uint64_t counter, std::int64_t total, std::int32_t sharers);
  /// The next chunk of lists of positions, one for each sharer, as TakeChunk says.
  [[nodiscard]] wire::Range take_near(const wire::TakeChunk& request);
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
    std::vector<wire::Range> lists;  ///< what is left of each
    std::int32_t finished = 0;
  };
  std::unordered_map<std::uint64_t, Loop> loops_;
  std::unordered_map<std::uint64_t, NearLoop> near_loops_;
};

}  // namespace blockyard::server
