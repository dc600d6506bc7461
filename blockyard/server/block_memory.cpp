// SPDX-License-Identifier: Apache-2.0
#include "blockyard/server/block_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"

namespace blockyard::server {

using base::BufferPool;
using base::Errc;
using base::Error;

Slot::Slot(BlockMemory& memory, fabric::Payload payload)
    : memory_(memory), bytes_(payload->size()), payload_(std::move(payload)) {
  memory_.charge(*this);
}

Slot::~Slot() {
  if (is_resident()) memory_.discharge(*this);
}

BlockMemory::BlockMemory(std::size_t budget_bytes, std::string owner)
    : budget_bytes_(budget_bytes), owner_(std::move(owner)) {}

bool BlockMemory::make_room(std::size_t bytes, const Slot* /*kept*/) {
  const std::size_t wanted = BufferPool::charge(bytes);
  if (held_bytes_ + wanted <= budget_bytes_) return true;
  throw Error(Errc::no_memory,
              fmt::format("{}: its memory of {} is too small: {} are held, and {} more are needed; "
                          "give more memory or take smaller segments",
                          owner_, base::format_bytes(static_cast<std::int64_t>(budget_bytes_)),
                          base::format_bytes(static_cast<std::int64_t>(held_bytes_)),
                          base::format_bytes(static_cast<std::int64_t>(wanted))));
}

SlotRef BlockMemory::adopt(fabric::Payload payload) {
  return std::make_shared<Slot>(*this, std::move(payload));
}

void BlockMemory::replace(Slot& slot, fabric::Payload payload) {
  base::require(slot.is_resident() && payload->size() == slot.bytes_,
                "only a resident block gets new values, of its own length");
  slot.payload_ = std::move(payload);
  touch(slot);
}

void BlockMemory::touch(Slot& slot) { by_age_.splice(by_age_.end(), by_age_, slot.age_); }

void BlockMemory::charge(Slot& slot) {
  held_bytes_ += BufferPool::charge(slot.bytes_);
  peak_bytes_ = std::max(peak_bytes_, held_bytes_);
  slot.age_ = by_age_.insert(by_age_.end(), &slot);
}

void BlockMemory::discharge(Slot& slot) noexcept {
  held_bytes_ -= BufferPool::charge(slot.bytes_);
  by_age_.erase(slot.age_);
}

}  // namespace blockyard::server
