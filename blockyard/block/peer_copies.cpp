// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/peer_copies.h"

#include <utility>

namespace blockyard::block {

void PeerCopies::add(const std::byte* frame, Held offer) {
  const std::lock_guard lock(mutex_);
  offers_.emplace(frame, std::move(offer));
}

PeerCopies::Held PeerCopies::find(const std::byte* frame, const device::Device& device) {
  const std::lock_guard lock(mutex_);
  Held found;
  int best = -1;
  const auto [begin, end] = offers_.equal_range(frame);
  for (auto at = begin; at != end; ++at)
    if (const int rank = (at->second->is_whole ? 2 : 0) + (at->second->device == &device ? 1 : 0);
        rank > best) {
      best = rank;
      found = at->second;
    }
  return found;
}

bool PeerCopies::remove(const std::byte* frame, const Held& offer) {
  {
    const std::lock_guard lock(mutex_);
    const auto [begin, end] = offers_.equal_range(frame);
    for (auto at = begin; at != end; ++at)
      if (at->second == offer) {
        offers_.erase(at);
        break;
      }
  }
  return !is_sole_holder(offer);
}

bool PeerCopies::is_sole_holder(const Held& offer) noexcept {
  if (offer.use_count() > 1) return false;
  // The last reader's accesses happen before the owner's: see base::is_sole_holder.
  { const Held second = offer; }
  return true;
}

}  // namespace blockyard::block
