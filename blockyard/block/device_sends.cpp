// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/device_sends.h"

#include <string>
#include <utility>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"

namespace blockyard::block {

DeviceSends::~DeviceSends() {
  for (DeviceSend& send : sends_) {
    Piece& piece = send.copy != nullptr ? send.copy->piece : send.piece;
    send.pieces->end(send.is_direct ? std::move(piece.memory) : device::Memory());
  }
}

DeviceSend* DeviceSends::of(FrameKey frame) noexcept {
  const auto found = std::ranges::find_if(
      sends_, [&](const DeviceSend& send) { return send.pieces->frame()->data() == frame; });
  return found == sends_.end() ? nullptr : &*found;
}

DeviceSend* DeviceSends::from(const ResidentCopy& copy) noexcept {
  const auto found = std::ranges::find(sends_, &copy, &DeviceSend::copy);
  return found == sends_.end() ? nullptr : &*found;
}

std::size_t DeviceSends::direct_bytes() const noexcept {
  std::size_t bytes = 0;
  for (const DeviceSend& send : sends_)
    if (send.is_direct) bytes += send.pieces->frame()->size();
  return bytes;
}

void DeviceSends::take() {
  for (const DeviceSend& send : sends_)
    if (const std::string why = send.pieces->failure(); !why.empty())
      throw base::Error(base::Errc::device, why);
  drop();
}

void DeviceSends::drop() noexcept {
  std::erase_if(sends_, [&](DeviceSend& send) {
    if (!send.pieces->is_over()) return false;
    if (send.copy == nullptr) pool_.recycle(std::move(send.piece));
    if (send.copy != nullptr && send.is_direct) --send.copy->pins;
    return true;
  });
}

double DeviceSends::finish(FrameKey frame) {
  const auto found = std::ranges::find_if(sends_, [&](const DeviceSend& send) {
    return !send.is_direct && send.pieces->frame()->data() == frame;
  });
  if (found == sends_.end()) return 0;
  const double begin = base::now_seconds();
  found->pieces->wait();
  const double end = base::now_seconds();
  take();
  return end - begin;
}

bool DeviceSends::wait_for_memory() {
  const auto found = std::ranges::find_if(
      sends_, [](const DeviceSend& send) { return !send.is_direct && send.copy == nullptr; });
  if (found == sends_.end()) return false;
  found->pieces->wait();
  take();
  return true;
}

bool DeviceSends::hold(ResidentCopy& copy) noexcept {
  DeviceSend* const sent = from(copy);
  if (sent == nullptr) return false;
  sent->piece = std::move(copy.piece);
  sent->copy = nullptr;
  return true;
}

}  // namespace blockyard::block
