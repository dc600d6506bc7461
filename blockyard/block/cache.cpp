// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/cache.h"

#include <algorithm>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"

namespace blockyard::block {

BlockCache::~BlockCache() {
  if (std::ranges::any_of(order_, &Entry::is_waiting)) source_.abandon();
  drop_all();
}

BlockCache::Pin BlockCache::request(const array::BlockId& id, std::size_t size,
                                    const Asker& asker) {
  ++requests_;
  Entry* const held = use(id);
  if (held != nullptr && held->is_stale) {
    complete(*held);
    erase(by_id_.at(id));
    Pin renewed(ask(id, size, asker, false));
    renewed.entry_->is_renewed = true;
    return renewed;
  }
  if (held == nullptr) return Pin(ask(id, size, asker, false));
  ++hits_;
  if (held->is_early) ++early_hits_;
  end_early(*held);
  return Pin(*held);
}

bool BlockCache::prefetch(const array::BlockId& id, std::size_t size, const Asker& asker) {
  if (by_id_.contains(id)) return true;
  if (early_bytes_ + static_cast<std::int64_t>(size) > frames_.budget_bytes() / early_share)
    return false;
  while (!frames_.has_room(size))
    if (!evict_used()) return false;
  ++prefetches_;
  early_bytes_ += static_cast<std::int64_t>(size);
  ask(id, size, asker, true);
  return true;
}

BlockCache::Entry& BlockCache::ask(const array::BlockId& id, std::size_t size, const Asker& asker,
                                   bool is_early) {
  frames_.charge(size);
  held_bytes_ += static_cast<std::int64_t>(size);
  order_.push_back({.id = id,
                    .size = size,
                    .is_early = is_early,
                    .pc = asker.pc,
                    .sent_seconds = base::now_seconds()});
  Entry& entry = order_.back();
  by_id_.emplace(id, std::prev(order_.end()));
  source_.fetch(id, asker, entry.arrival);
  return entry;
}

void BlockCache::outdate(const array::BlockId& id) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return;
  const auto at = found->second;
  at->is_stale = true;
  if (!at->is_early) return;
  complete(*at);
  end_early(*at);
  erase(at);
}

void BlockCache::end_early(Entry& entry) noexcept {
  if (!entry.is_early) return;
  entry.is_early = false;
  early_bytes_ -= static_cast<std::int64_t>(entry.size);
}

BlockCache::Entry* BlockCache::use(const array::BlockId& id) noexcept {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return nullptr;
  order_.splice(order_.end(), order_, found->second);
  return &*found->second;
}

BlockCache::Pin BlockCache::find(const array::BlockId& id) noexcept {
  Entry* const held = use(id);
  return held == nullptr ? Pin() : Pin(*held);
}

SharedFrame BlockCache::peek(const array::BlockId& id) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return nullptr;
  Entry& entry = *found->second;
  if (entry.is_waiting && entry.arrival.is_here) take(entry);
  return entry.arrival.frame;
}

bool BlockCache::complete(Entry& entry) {
  if (!entry.is_waiting) return false;
  bool had_to_wait = false;
  while (!entry.arrival.is_here) had_to_wait |= source_.wait();
  take(entry);
  return had_to_wait;
}

void BlockCache::take(Entry& entry) {
  entry.is_waiting = false;
  if (entry.is_missing()) {
    if (entry.is_early) early_bytes_ -= static_cast<std::int64_t>(entry.size);
    frames_.discharge(entry.size);
    held_bytes_ -= static_cast<std::int64_t>(entry.size);
    entry.size = 0;
    return;
  }
  base::require(entry.arrival.frame->size() == entry.size,
                "a fetched block has the size of its segments");
  bytes_received_ += entry.size;
}

bool BlockCache::evict_one() {
  if (evict_used()) return true;
  // Nothing else is left than what was prefetched; what comes last is needed last.
  for (const bool waits : {false, true})
    for (auto at = order_.end(); at != order_.begin();) {
      --at;
      if (at->pins > 0 || at->is_missing() || at->is_waiting != waits) continue;
      complete(*at);
      if (!at->is_missing()) erase(at);
      return true;
    }
  return false;
}

bool BlockCache::evict_used() noexcept {
  for (auto at = order_.begin(); at != order_.end();) {
    const auto here = at++;
    if (here->pins > 0 || here->is_waiting || here->is_early) continue;
    // Blocks that do not exist hold no memory, but would be looked at each time.
    const bool is_missing = here->is_missing();
    erase(here);
    if (!is_missing) return true;
  }
  return false;
}

void BlockCache::erase(Order::iterator at) {
  if (at->is_early && wasted_) wasted_(at->pc);
  if (at->arrival.frame && leaves_) leaves_(at->arrival.frame);
  end_early(*at);
  if (at->size > 0) frames_.discharge(at->size);
  held_bytes_ -= static_cast<std::int64_t>(at->size);
  by_id_.erase(at->id);
  forgotten_.splice(forgotten_.end(), order_, at);
  drop_forgotten();
}

void BlockCache::drop_forgotten() noexcept {
  std::erase_if(forgotten_, [](const Entry& entry) { return entry.pins == 0; });
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
  forgotten_.splice(forgotten_.end(), order_);
  drop_forgotten();
}

}  // namespace blockyard::block
