// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"

namespace blockyard::block {

using base::BufferPool;

Frame FramePool::allocate(std::size_t size) {
  const auto bytes = static_cast<std::int64_t>(BufferPool::charge(size));
  auto& kept = kept_[BufferPool::class_of(size)];
  ++uses_.requests;
  if (!kept.empty()) {
    ++uses_.hits;
    Frame frame = std::move(kept.back());
    kept.pop_back();
    frame->resize(size);
    kept_bytes_ -= bytes;
    used_bytes_ += bytes;
    peak_bytes_ = std::max(peak_bytes_, used_bytes_);
    return frame;
  }
  charge(size);
  try {
    Frame frame = std::make_shared<base::Buffer>(buffers_.allocate(size));
    if (!frame->is_new()) ++uses_.hits;
    return frame;
  } catch (...) {
    discharge(size);
    throw;
  }
}

void FramePool::recycle(Frame frame) noexcept {
  const auto bytes = static_cast<std::int64_t>(BufferPool::charge(frame->size()));
  used_bytes_ -= bytes;
  if (!base::is_sole_holder(frame)) return;
  try {
    kept_[BufferPool::class_of(frame->size())].push_back(std::move(frame));
    kept_bytes_ += bytes;
  } catch (const std::bad_alloc&) {  // no room to remember it: it is freed
  }
}

void FramePool::charge(std::size_t size) {
  const auto bytes = static_cast<std::int64_t>(BufferPool::charge(size));
  make_room(bytes);
  used_bytes_ += bytes;
  peak_bytes_ = std::max(peak_bytes_, used_bytes_);
}

void FramePool::discharge(std::size_t size) noexcept {
  used_bytes_ -= static_cast<std::int64_t>(BufferPool::charge(size));
}

bool FramePool::has_room(std::size_t size) const noexcept {
  return used_bytes_ + static_cast<std::int64_t>(BufferPool::charge(size)) <= budget_bytes_;
}

bool FramePool::finds_room(std::size_t size) {
  while (!has_room(size))
    if (!reclaim_at_once_ || !reclaim_at_once_()) return false;
  return true;
}

void FramePool::make_room(std::int64_t bytes) {
  while (used_bytes_ + kept_bytes_ + bytes > budget_bytes_) {
    if (kept_bytes_ > 0) {
      free_kept();
      continue;
    }
    if (reclaim_ && reclaim_()) continue;
    throw base::Error(
        base::Errc::no_memory,
        fmt::format("a block of {} does not fit: this worker holds {} of its {} and can evict "
                    "none; give more --memory, smaller segments or fewer workers",
                    base::format_bytes(bytes), base::format_bytes(used_bytes_),
                    base::format_bytes(budget_bytes_)));
  }
}

void FramePool::free_kept() noexcept {
  for (auto& kept : kept_) kept.clear();
  kept_bytes_ = 0;
}

}  // namespace blockyard::block
