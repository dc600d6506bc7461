// SPDX-License-Identifier: Apache-2.0
// The part of Residency for copies to the device: from the host, or from what other workers of the
// process have on devices.
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/block/residency.h"

namespace blockyard::block {

void Residency::copy_in(Copy& copy, const SharedFrame& frame) {
  lanes_->wait(Lanes::in, copy.piece.used);
  PeerCopies::Held peer = copy_from_peer(copy);
  if (!peer) {
    // Memory of another process may get other pages any time after it was given back.
    if (!frame->is_lent()) lock_host(copy.key, copy.size);
    lanes_->stream(Lanes::in).copy_in(copy.piece.memory.address(), frame->bytes());
    ++counts_.copies_in;
    counts_.bytes_in += copy.size;
  }
  // From here on the device reads it, whatever else fails.
  sources_.push_back({0, peer ? nullptr : frame, peer});
  const std::uint64_t point = lanes_->mark(Lanes::in, Lanes::kilobytes(copy.size));
  sources_.back().point = point;
  copy.piece.written = {};
  copy.piece.written[Lanes::in] = point;
  copy.piece.used[Lanes::in] = point;
  offer_to_peers(copy);
}

/// Lets go what copies to the device that are done have read; waits if there are too many.
void Residency::drop_sources() {
  while (!sources_.empty()) {
    const std::uint64_t point = sources_.front().point;
    if (sources_.size() > Lanes::depth / 2)
      lanes_->finish(Lanes::in, point);
    else if (!lanes_->is_done(Lanes::in, point))
      return;
    sources_.pop_front();
  }
}

/// Starts to copy what another worker has of a block that never changes. Null: no worker has all of
/// it, or it cannot be copied this way.
PeerCopies::Held Residency::copy_from_peer(Copy& copy) {
  if (options_.peers == nullptr || !copy.kept) return nullptr;
  PeerCopies::Held from = options_.peers->find(copy.key, device_);
  if (!from) return nullptr;
  if (!from->is_whole) try {
      if (!from->ready.is_done()) return nullptr;
      from->is_whole = true;
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
  copy.offer = std::make_shared<PeerCopies::Offer>(&device_, copy.piece.memory.address(),
                                                   device_.open_event());
  lanes_->stream(Lanes::in).record(copy.offer->ready);
  options_.peers->add(copy.key, copy.offer);
}

/// Of a copy that goes. True: others copy from it, and its memory is not free before they have.
bool Residency::leave_to_peers(Copy& copy) noexcept {
  if (!copy.offer || !options_.peers->remove(copy.key, copy.offer)) return false;
  left_.push_back({std::move(copy.offer), std::move(copy.piece)});
  return true;
}

/// Reuses memory that no peer copies from any more.
void Residency::take_left() noexcept {
  std::erase_if(left_, [&](Left& left) {
    if (!PeerCopies::is_sole_holder(left.offer)) return false;
    pool_.recycle(std::move(left.piece));
    return true;
  });
}

/// The last peer that copies from it releases it.
void Residency::give_left_away() noexcept {
  for (Left& left : left_) left.offer->memory = std::move(left.piece.memory);
  left_.clear();
}

}  // namespace blockyard::block
