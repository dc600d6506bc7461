// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/peer_exchange.h"

#include <utility>

#include "blockyard/base/error.h"

namespace blockyard::block {

PeerCopies::Held PeerExchange::copy_to(ResidentCopy& copy, device::Stream& in) {
  if (peers_ == nullptr || !copy.kept) return nullptr;
  PeerCopies::Held from = peers_->find(copy.key, device_);
  if (!from) return nullptr;
  if (!from->is_whole) try {
      if (!from->ready.is_done()) return nullptr;
      from->is_whole = true;
    } catch (const base::Error&) {  // of the other device: its worker will see it
      return nullptr;
    }
  if (!in.copy_from(*from->device, copy.piece.memory.address(), from->address,
                    static_cast<device::Extent>(copy.size)))
    return nullptr;
  return from;
}

void PeerExchange::offer(ResidentCopy& copy, device::Stream& in) {
  if (peers_ == nullptr || !copy.kept) return;
  copy.offer = std::make_shared<PeerCopies::Offer>(&device_, copy.piece.memory.address(),
                                                   device_.open_event());
  in.record(copy.offer->ready);
  peers_->add(copy.key, copy.offer);
}

bool PeerExchange::withdraw(ResidentCopy& copy) {
  if (copy.offer && peers_->remove(copy.key, copy.offer)) return false;
  copy.offer = nullptr;
  return true;
}

bool PeerExchange::leave(ResidentCopy& copy) noexcept {
  if (!copy.offer || !peers_->remove(copy.key, copy.offer)) return false;
  left_.push_back({std::move(copy.offer), std::move(copy.piece)});
  return true;
}

void PeerExchange::take_left() noexcept {
  std::erase_if(left_, [&](Left& left) {
    if (!PeerCopies::is_sole_holder(left.offer)) return false;
    pool_.recycle(std::move(left.piece));
    return true;
  });
}

void PeerExchange::give_left_away() noexcept {
  for (Left& left : left_) left.offer->memory = std::move(left.piece.memory);
  left_.clear();
}

}  // namespace blockyard::block
