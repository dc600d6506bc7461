// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "blockyard/block/cache.h"
#include "blockyard/wire/messages.h"
#include "blockyard/worker/flow_names.h"

namespace blockyard::worker::detail {

/// Uses of fetched blocks, by the pc of the get that asked for them.
struct FetchWait {
  std::uint64_t gets = 0;        ///< how often the get was run
  std::uint64_t hits = 0;        ///< of these: the block was here or under way
  std::uint64_t early_hits = 0;  ///< of these: since look-ahead had asked for it
  std::uint64_t accesses = 0;
  std::uint64_t blocked = 0;
  double seconds = 0;
  double first_seconds = 0;     ///< waited for the first access
  double transfer_seconds = 0;  ///< sum over the blocked: from the request to the arrival
};

/// Copies of blocks from other homes, in the cache of a worker, and the time waited for them. One
/// thread.
class FetchedBlocks {
 public:
  FetchedBlocks(const Naming& naming, const wire::Access& here, block::FramePool& frames,
                block::BlockSource& source)
      : naming_(naming), here_(here), cache_(frames, source), waits_(naming.program.code.size()) {}

  /// A copy that a get has asked for, waited for; no pin if none has.
  /// Throws Error{bad_input} if it was never written and its array is not sparse.
  [[nodiscard]] block::BlockCache::Pin find(const array::BlockId& id);
  /// Asks for a block, for the get under way.
  [[nodiscard]] block::BlockCache::Pin request(const array::BlockId& id, std::size_t bytes);

  [[nodiscard]] block::BlockCache& cache() noexcept { return cache_; }
  [[nodiscard]] const block::BlockCache& cache() const noexcept { return cache_; }
  [[nodiscard]] const FetchWait& wait_at(std::int32_t get) const {
    return waits_[static_cast<std::size_t>(get)];
  }
  /// Total time waited for blocks; of it, while a server was at its disk.
  [[nodiscard]] double wait_seconds() const noexcept { return wait_seconds_; }
  [[nodiscard]] double disk_seconds() const noexcept { return disk_seconds_; }

 private:
  void complete(const block::BlockCache::Pin& pin, FetchWait& wait);

  const Naming& naming_;
  const wire::Access& here_;
  block::BlockCache cache_;
  std::vector<FetchWait> waits_;  ///< by pc
  double wait_seconds_ = 0;
  double disk_seconds_ = 0;
};

}  // namespace blockyard::worker::detail
