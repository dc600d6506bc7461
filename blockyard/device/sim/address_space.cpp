// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/sim/address_space.h"

#include <cstring>
#include <utility>

namespace blockyard::device::sim {

blockyard_address AddressSpace::allocate(std::uint64_t bytes) {
  if (bytes > free_bytes()) return 0;
  auto memory = std::make_unique<std::byte[]>(bytes);
  std::memset(memory.get(), 0xA5, bytes);  // new memory holds anything: never zeros by luck
  constexpr std::uint64_t alignment = 64, gap = 4096;
  const blockyard_address address = next_;
  next_ += (bytes + gap + alignment - 1) / alignment * alignment;
  allocations_.emplace(address, Allocation{std::move(memory), bytes});
  used_bytes_ += bytes;
  return address;
}

bool AddressSpace::release(blockyard_address address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) return false;
  used_bytes_ -= found->second.count;
  allocations_.erase(found);
  return true;
}

std::byte* AddressSpace::find(blockyard_address address, std::uint64_t bytes) const noexcept {
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  const auto& [start, allocation] = *--after;
  const std::uint64_t offset = address - start;
  if (offset > allocation.count || bytes > allocation.count - offset) return nullptr;
  return allocation.bytes.get() + offset;
}

}  // namespace blockyard::device::sim
