// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/cache.h"

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"

namespace blockyard::block {

BlockCache::Entry& BlockCache::request(const array::BlockId& id, std::size_t size,
                                       std::int32_t pc) {
  ++requests_;
  if (Entry* held = find(id)) {
    ++hits_;
    if (held->is_early) ++early_hits_;
    end_early(*held);
    return *held;
  }
  return ask(id, size, pc, false);
}

bool BlockCache::prefetch(const array::BlockId& id, std::size_t size, std::int32_t pc) {
  if (by_id_.contains(id)) return true;
  if (early_bytes_ + static_cast<std::int64_t>(size) > frames_.budget_bytes() / early_share)
    return false;
  while (!frames_.has_room(size))
    if (!evict_used()) return false;
  ++prefetches_;
  early_bytes_ += static_cast<std::int64_t>(size);
  ask(id, size, pc, true);
  return true;
}

BlockCache::Entry& BlockCache::ask(const array::BlockId& id, std::size_t size, std::int32_t pc,
                                   bool is_early) {
  frames_.charge(size);
  held_bytes_ += static_cast<std::int64_t>(size);
  order_.push_back({.id = id,
                    .frame = nullptr,
                    .size = size,
                    .ticket = 0,
                    .is_waiting = true,
                    .is_missing = false,
                    .pins = 0,
                    .pc = pc,
                    .is_early = is_early,
                    .sent_seconds = base::now_seconds()});
  const auto at = std::prev(order_.end());
  by_id_.emplace(id, at);
  at->ticket = source_.fetch(id);
  return *at;
}

void BlockCache::drop_early(const array::BlockId& id) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end() || !found->second->is_early) return;
  const auto at = found->second;
  complete(*at);
  end_early(*at);
  erase(at);
}

void BlockCache::end_early(Entry& entry) noexcept {
  if (!entry.is_early) return;
  entry.is_early = false;
  early_bytes_ -= static_cast<std::int64_t>(entry.size);
}

BlockCache::Entry* BlockCache::find(const array::BlockId& id) noexcept {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return nullptr;
  order_.splice(order_.end(), order_, found->second);
  return &*found->second;
}

SharedFrame BlockCache::peek(const array::BlockId& id) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return nullptr;
  Entry& entry = *found->second;
  if (entry.is_waiting && source_.has_arrived(entry.ticket)) complete(entry);
  return entry.frame;
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
    if (entry.is_early) early_bytes_ -= static_cast<std::int64_t>(entry.size);
    frames_.discharge(entry.size);
    held_bytes_ -= static_cast<std::int64_t>(entry.size);
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

bool BlockCache::evict_one() {
  if (evict_used()) return true;
  // Nothing else is left than what was prefetched; what comes last is needed last.
  for (const bool waits : {false, true})
    for (auto at = order_.end(); at != order_.begin();) {
      --at;
      if (at->pins > 0 || at->is_missing || at->is_waiting != waits) continue;
      complete(*at);
      if (!at->is_missing) erase(at);
      return true;
    }
  return false;
}

bool BlockCache::evict_used() noexcept {
  for (auto at = order_.begin(); at != order_.end(); ++at) {
    if (at->pins > 0 || at->is_waiting || at->is_missing || at->is_early) continue;
    erase(at);
    return true;
  }
  return false;
}

void BlockCache::erase(Order::iterator at) {
  if (at->is_early && wasted_) wasted_(at->pc);
  if (at->frame && leaves_) leaves_(at->frame);
  end_early(*at);
  if (at->size > 0) frames_.discharge(at->size);
  held_bytes_ -= static_cast<std::int64_t>(at->size);
  by_id_.erase(at->id);
  order_.erase(at);
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
    const auto gone = at++;
    end_early(*gone);
    erase(gone);
  }
}

void BlockCache::drop_all() noexcept {
  for (const Entry& entry : order_)
    if (entry.size > 0) frames_.discharge(entry.size);
  early_bytes_ = held_bytes_ = 0;
  by_id_.clear();
  order_.clear();
}

}  // namespace blockyard::block
