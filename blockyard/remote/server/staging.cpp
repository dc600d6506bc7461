// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/server/staging.h"

#include <new>

namespace blockyard::remote {

std::shared_ptr<Staging::Bytes> Staging::take(std::size_t bytes) {
  std::unique_lock lock(mutex_);
  changed_.wait(
      lock, [&] { return is_ended_ || used_bytes_ == 0 || used_bytes_ + bytes <= limit_bytes_; });
  if (is_ended_) return nullptr;
  used_bytes_ += bytes;
  std::unique_ptr<Bytes> memory;
  if (!free_.empty()) {
    memory = std::move(free_.back());
    free_.pop_back();
  }
  lock.unlock();
  try {
    if (!memory) memory = std::make_unique<Bytes>();
    if (memory->size() < bytes) memory->resize(bytes);
  } catch (const std::bad_alloc&) {
    give_back(nullptr, bytes);
    throw;
  }
  // Shared by the work that reads it and by the receiver.
  return {memory.release(),
          [this, bytes](Bytes* gone) { give_back(std::unique_ptr<Bytes>(gone), bytes); }};
}

void Staging::give_back(std::unique_ptr<Bytes> memory, std::size_t bytes) noexcept {
  constexpr std::size_t most_free = 8;
  const std::lock_guard lock(mutex_);
  used_bytes_ -= bytes;
  if (memory && free_.size() < most_free) {
    try {
      free_.push_back(std::move(memory));
    } catch (const std::bad_alloc&) {  // it goes
    }
  }
  changed_.notify_all();
}

void Staging::end() noexcept {
  const std::lock_guard lock(mutex_);
  is_ended_ = true;
  changed_.notify_all();
}

}  // namespace blockyard::remote
