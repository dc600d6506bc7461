// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/shared_arena.h"

#include <algorithm>
#include <new>

namespace blockyard::base {

namespace {

/// A program uses some lengths after others; all of them together may take this multiple of memory.
constexpr std::size_t addresses_for_memory = 16;
constexpr std::size_t least_bytes = std::size_t{1} << 30;
constexpr std::size_t most_memory = std::size_t{1} << 40;

}  // namespace

SharedArena::SharedArena(std::size_t memory_bytes)
    : memory_((std::min(memory_bytes, most_memory) * addresses_for_memory + least_bytes) /
              page_bytes * page_bytes) {}

std::byte* SharedArena::allocate(std::size_t bytes) noexcept {
  std::byte* data = nullptr;
  if (const auto found = released_.find(bytes);
      found != released_.end() && !found->second.empty()) {
    data = found->second.back();
    found->second.pop_back();
  } else if (bytes <= memory_.size() - end_) {
    data = memory_.data() + end_;
    end_ += bytes;
  }
  if (data == nullptr || memory_.claim(offset_of(data), bytes)) return data;
  release(data, bytes);
  return nullptr;
}

void SharedArena::release(std::byte* data, std::size_t bytes) noexcept {
  memory_.give_back(offset_of(data), bytes);
  try {
    released_[bytes].push_back(data);
  } catch (const std::bad_alloc&) {  // its addresses are lost, not its memory
  }
}

}  // namespace blockyard::base
