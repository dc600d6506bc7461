// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/piece_copy.h"

#include <algorithm>

#include "blockyard/base/error.h"

namespace blockyard::block {

std::size_t PieceCopy::ready() noexcept {
  const std::lock_guard lock(mutex_);
  advance(false);
  return ready_;
}

void PieceCopy::wait() noexcept {
  const std::lock_guard lock(mutex_);
  advance(true);
}

void PieceCopy::advance(bool waits) noexcept {
  if (!failure_.empty()) return;
  try {
    for (; done_ < events_.size(); ++done_) {
      if (waits) events_[done_].wait();
      if (!waits && !events_[done_].is_done()) return;
      ready_ = std::min(frame_->size(), (done_ + 1) * piece_bytes_);
    }
  } catch (const base::Error& error) {
    failure_ = error.what();
  }
}

std::string PieceCopy::failure() {
  const std::lock_guard lock(mutex_);
  advance(false);
  return failure_;
}

const std::byte* PieceCopy::place() {
  const std::lock_guard lock(mutex_);
  return place_;
}

void PieceCopy::begin_sending() {
  const std::lock_guard lock(mutex_);
  ++senders_;
}

void PieceCopy::end_sending() {
  const std::lock_guard lock(mutex_);
  --senders_;
}

bool PieceCopy::is_over() noexcept {
  const std::lock_guard lock(mutex_);
  advance(false);
  return ready_ == frame_->size() && (place_ == nullptr || senders_ == 0);
}

void PieceCopy::complete() noexcept {
  const std::lock_guard lock(mutex_);
  place_ = nullptr;
  events_.clear();
  done_ = 0;
  ready_ = frame_->size();
  failure_.clear();
}

void PieceCopy::end(device::Memory memory) noexcept {
  const std::lock_guard lock(mutex_);
  memory_ = std::move(memory);
  events_.clear();
  done_ = 0;
}

}  // namespace blockyard::block
