// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "blockyard/device/abi.h"

namespace blockyard::device::sim {

/// Memory under numbers that are not pointers, with gaps between allocations. One thread.
class AddressSpace {
 public:
  explicit AddressSpace(std::uint64_t limit_bytes) noexcept : limit_bytes_(limit_bytes) {}

  /// 0 if out of memory.
  [[nodiscard]] blockyard_address allocate(std::uint64_t bytes);
  /// False if `address` is not the start of an allocation.
  [[nodiscard]] bool release(blockyard_address address);
  /// Where `bytes` from `address` on really are; null if they are not inside one allocation.
  [[nodiscard]] std::byte* find(blockyard_address address, std::uint64_t bytes) const noexcept;
  [[nodiscard]] std::uint64_t limit_bytes() const noexcept { return limit_bytes_; }
  [[nodiscard]] std::uint64_t free_bytes() const noexcept { return limit_bytes_ - used_bytes_; }

 private:
  struct Allocation {
    std::unique_ptr<std::byte[]> bytes;
    std::uint64_t count;
  };
  std::map<blockyard_address, Allocation> allocations_;
  std::uint64_t limit_bytes_;
  std::uint64_t used_bytes_ = 0;
  blockyard_address next_ = std::uint64_t{0x51} << 56;  // no pointer of any processor we run on
};

}  // namespace blockyard::device::sim
