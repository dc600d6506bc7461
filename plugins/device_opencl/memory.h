// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "plugins/device_opencl/opencl.h"

namespace blockyard::opencl {

/// The memory of one device, with addresses that allow sums. Where the device computes in the
/// host's memory an address is the host pointer; elsewhere it is a number that means nothing.
/// Addresses are multiples of 256. One thread at a time.
class Memory {
 public:
  /// Where an address is: the buffer, and the bytes of it before the address.
  struct Place {
    cl_mem buffer = nullptr;
    std::size_t offset = 0;
  };

  Memory(cl_context context, bool is_host_memory, std::uint64_t limit_bytes,
         std::uint64_t largest_bytes)
      : context_(context),
        is_host_memory_(is_host_memory),
        limit_bytes_(limit_bytes),
        largest_bytes_(largest_bytes) {}

  /// 0 if there is no room. Throws Failure for anything else that is wrong.
  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes);
  /// Nothing may use it any more where it is host memory. False if nothing begins at `address`.
  [[nodiscard]] bool release(std::uint64_t address);
  /// Nothing if `bytes` from `address` on are not inside of one allocation.
  [[nodiscard]] std::optional<Place> find(std::uint64_t address, std::uint64_t bytes) const;

  [[nodiscard]] bool is_host_memory() const noexcept { return is_host_memory_; }
  [[nodiscard]] std::uint64_t limit_bytes() const noexcept { return limit_bytes_; }
  [[nodiscard]] std::uint64_t free_bytes() const noexcept { return limit_bytes_ - used_bytes_; }

 private:
  struct FreeAligned {
    void operator()(std::byte* bytes) const noexcept;
  };
  struct Piece {
    std::uint64_t bytes = 0;
    std::unique_ptr<std::byte, FreeAligned> host;  // outlives the buffer over it
    Buffer buffer;
  };

  cl_context context_;
  bool is_host_memory_;
  std::uint64_t limit_bytes_;
  std::uint64_t largest_bytes_;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t next_address_ = 1 << 20;
  std::map<std::uint64_t, Piece> pieces_;
};

}  // namespace blockyard::opencl
