// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/device_pool.h"

#include <algorithm>

namespace blockyard::block {

using base::BufferPool;

std::optional<Piece> DevicePool::allocate(std::size_t size) {
  ++requests_;
  auto& kept = kept_[BufferPool::class_of(size)];
  const auto bytes = static_cast<std::int64_t>(BufferPool::charge(size));
  if (!kept.empty()) {
    ++hits_;
    Piece piece = std::move(kept.back());
    kept.pop_back();
    kept_bytes_ -= bytes;
    peak_bytes_ = std::max(peak_bytes_, held_bytes_ - kept_bytes_);
    return piece;
  }
  while (make_room(bytes)) {
    if (auto memory = device_.allocate(bytes)) {
      held_bytes_ += bytes;
      peak_bytes_ = std::max(peak_bytes_, held_bytes_ - kept_bytes_);
      return Piece{std::move(*memory), {}, {}};
    }
    // The device has less than was thought.
    budget_bytes_ = std::min(budget_bytes_, held_bytes_ + bytes - 1);
  }
  return std::nullopt;
}

bool DevicePool::make_room(std::int64_t bytes) {
  for (std::size_t k = kept_.size(); held_bytes_ + bytes > budget_bytes_ && k-- > 0;)
    while (!kept_[k].empty() && held_bytes_ + bytes > budget_bytes_) {
      const std::int64_t freed = kept_[k].back().memory.bytes();
      kept_[k].pop_back();
      held_bytes_ -= freed;
      kept_bytes_ -= freed;
    }
  return held_bytes_ + bytes <= budget_bytes_;
}

void DevicePool::recycle(Piece piece) {
  if (piece.memory.address() == 0) return;
  const auto bytes = piece.memory.bytes();
  if (!keeps_) {  // devices wait for work that is under way there
    held_bytes_ -= bytes;
    return;
  }
  kept_bytes_ += bytes;
  kept_[BufferPool::class_of(static_cast<std::size_t>(bytes))].push_back(std::move(piece));
}

}  // namespace blockyard::block
