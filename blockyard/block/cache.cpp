// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/cache.h"

#include "blockyard/base/error.h"

namespace blockyard::block {

BlockCache::Entry& BlockCache::request(const array::BlockId& id, std::size_t size,
                                       std::int32_t pc) {
  ++requests_;
  if (Entry* held = find(id)) {
    ++hits_;
    return *held;
  }
  frames_.charge(size);
  order_.push_back({.id = id,
                    .frame = nullptr,
                    .size = size,
                    .ticket = 0,
                    .is_waiting = true,
                    .is_missing = false,
                    .pins = 0,
                    .pc = pc});
  const auto at = std::prev(order_.end());
  by_id_.emplace(id, at);
  at->ticket = source_.fetch(id);
  return *at;
}

BlockCache::Entry* BlockCache::find(const array::BlockId& id) noexcept {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return nullptr;
  order_.splice(order_.end(), order_, found->second);
  return &*found->second;
}

bool BlockCache::complete(Entry& entry) {
  bool had_to_wait = false;
  while (entry.is_waiting) {
    bool missing = false;
    SharedFrame frame = source_.arrived(entry.ticket, missing);
    if (frame || missing) {
      take(entry, std::move(frame), missing);
    } else {
      had_to_wait = true;
      source_.wait();
    }
  }
  return had_to_wait;
}

void BlockCache::take(Entry& entry, SharedFrame frame, bool missing) {
  entry.is_waiting = false;
  entry.is_missing = missing;
  entry.frame = std::move(frame);
  if (missing) {
    frames_.discharge(entry.size);
    entry.size = 0;
    return;
  }
  base::require(entry.frame->size() == entry.size, "a fetched block has the size of its segments");
  bytes_received_ += entry.size;
}

void BlockCache::unpin(const array::BlockId& id) noexcept {
  const auto found = by_id_.find(id);
  if (found != by_id_.end() && found->second->pins > 0) --found->second->pins;
}

bool BlockCache::evict_one() noexcept {
  for (auto at = order_.begin(); at != order_.end(); ++at) {
    if (at->pins > 0 || at->is_waiting || at->is_missing) continue;
    frames_.discharge(at->size);
    by_id_.erase(at->id);
    order_.erase(at);
    return true;
  }
  return false;
}

void BlockCache::clear() {
  for (Entry& entry : order_) complete(entry);
  drop_all();
}

void BlockCache::forget(std::int32_t array) {
  for (auto at = order_.begin(); at != order_.end();) {
    if (at->id.array != array) {
      ++at;
      continue;
    }
    complete(*at);
    if (at->size > 0) frames_.discharge(at->size);
    by_id_.erase(at->id);
    at = order_.erase(at);
  }
}

void BlockCache::drop_all() noexcept {
  for (const Entry& entry : order_)
    if (entry.size > 0) frames_.discharge(entry.size);
  by_id_.clear();
  order_.clear();
}

}  // namespace blockyard::block
