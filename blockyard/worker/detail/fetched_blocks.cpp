// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/fetched_blocks.h"

#include <fmt/format.h>

#include <algorithm>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"

namespace blockyard::worker::detail {

using block::BlockCache;

BlockCache::Pin FetchedBlocks::find(const array::BlockId& id) {
  BlockCache::Pin copy = cache_.find(id);
  if (!copy) return copy;
  FetchWait& wait = waits_[static_cast<std::size_t>(copy.pc())];
  ++wait.accesses;
  if (copy.is_waiting()) complete(copy, wait);
  const auto& decl = naming_.program.arrays[static_cast<std::size_t>(id.array)];
  if (copy.is_missing() && !decl.is_sparse)
    throw base::Error(
        base::Errc::bad_input,
        fmt::format("{} of block {}, which was never written (nor with put or prepare by any "
                    "worker); is a put, or a sip_barrier after it, missing?",
                    decl.kind == program::ArrayKind::served ? "request" : "get",
                    naming_.block(id)));
  return copy;
}

void FetchedBlocks::complete(const BlockCache::Pin& pin, FetchWait& wait) {
  const double begin = base::now_seconds();
  if (!cache_.complete(pin)) return;
  const double end = base::now_seconds();
  ++wait.blocked;
  wait.seconds += end - begin;
  wait.transfer_seconds += end - pin.sent_seconds();
  wait_seconds_ += end - begin;
  disk_seconds_ += std::min(pin.disk_seconds(), end - begin);
  if (wait.accesses == 1) wait.first_seconds = end - begin;
}

BlockCache::Pin FetchedBlocks::request(const array::BlockId& id, std::size_t bytes) {
  const std::uint64_t hits = cache_.hits(), early_hits = cache_.early_hits();
  BlockCache::Pin pin = cache_.request(id, bytes, {here_.pc, here_.iteration});
  FetchWait& wait = waits_[static_cast<std::size_t>(here_.pc)];
  ++wait.gets;
  wait.hits += cache_.hits() - hits;
  wait.early_hits += cache_.early_hits() - early_hits;
  return pin;
}

}  // namespace blockyard::worker::detail
