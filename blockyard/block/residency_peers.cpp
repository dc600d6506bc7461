// SPDX-License-Identifier: Apache-2.0
// The part of Residency for what other workers of the process have on devices.
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/block/residency.h"

namespace blockyard::block {

/// Starts to copy what another worker has of a block that never changes. Null: nobody has all of
/// it, or it cannot be had in this way.
PeerCopies::Held Residency::copy_from_peer(Copy& copy) {
  if (options_.peers == nullptr || !copy.kept) return nullptr;
  PeerCopies::Held from = options_.peers->find(copy.key, device_);
  if (!from) return nullptr;
  try {
    if (!from->ready.is_done()) return nullptr;
  } catch (const base::Error&) {  // of the other device: its worker will see it
    return nullptr;
  }
  if (!lanes_->stream(Lanes::in).copy_from(*from->device, copy.piece.memory.address(),
                                           from->address, static_cast<device::Extent>(copy.size)))
    return nullptr;
  ++counts_.peer_copies;
  counts_.peer_bytes += copy.size;
  return from;
}

/// Of a copy that was just started.
void Residency::offer_to_peers(Copy& copy) {
  if (options_.peers == nullptr || !copy.kept) return;
  copy.offer = std::make_shared<PeerCopies::Offer>(
      PeerCopies::Offer{&device_, copy.piece.memory.address(), device_.open_event(), {}});
  lanes_->stream(Lanes::in).record(copy.offer->ready);
  options_.peers->add(copy.key, copy.offer);
}

/// Of a copy that goes. True: others copy from it, and its memory is theirs.
bool Residency::leave_to_peers(Copy& copy) noexcept {
  if (!copy.offer || !options_.peers->remove(copy.key, copy.offer)) return false;
  copy.offer->memory = pool_.give_away(std::move(copy.piece));
  return true;
}

}  // namespace blockyard::block
