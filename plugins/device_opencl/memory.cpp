// SPDX-License-Identifier: Apache-2.0
#include "plugins/device_opencl/memory.h"

#include <algorithm>
#include <new>

namespace blockyard::opencl {
namespace {

constexpr std::uint64_t alignment = 256;

std::uint64_t rounded_up(std::uint64_t bytes) {
  return (std::max<std::uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment;
}

bool is_shortage(cl_int code) {
  return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
         code == CL_OUT_OF_HOST_MEMORY || code == CL_INVALID_BUFFER_SIZE;
}

}  // namespace

void Memory::FreeAligned::operator()(std::byte* bytes) const noexcept {
  ::operator delete[](bytes, std::align_val_t{alignment});
}

std::uint64_t Memory::allocate(std::uint64_t bytes) {
  if (bytes > free_bytes() || bytes > largest_bytes_) return 0;
  const std::uint64_t room = rounded_up(bytes);
  Piece piece;
  piece.bytes = bytes;
  cl_mem_flags flags = CL_MEM_READ_WRITE;
  if (is_host_memory_) {
    flags |= CL_MEM_USE_HOST_PTR;
    piece.host.reset(
        static_cast<std::byte*>(::operator new[](room, std::align_val_t{alignment}, std::nothrow)));
    if (!piece.host) return 0;
  }
  cl_int code = CL_SUCCESS;
  piece.buffer = Buffer(clCreateBuffer(context_, flags, room, piece.host.get(), &code));
  if (is_shortage(code)) return 0;
  check(code, "clCreateBuffer");
  const std::uint64_t address =
      is_host_memory_ ? reinterpret_cast<std::uintptr_t>(piece.host.get()) : next_address_;
  next_address_ += room + alignment;
  used_bytes_ += bytes;
  pieces_.emplace(address, std::move(piece));
  return address;
}

bool Memory::release(std::uint64_t address) {
  const auto found = pieces_.find(address);
  if (found == pieces_.end()) return false;
  used_bytes_ -= found->second.bytes;
  pieces_.erase(found);
  return true;
}

std::optional<Memory::Place> Memory::find(std::uint64_t address, std::uint64_t bytes) const {
  auto next = pieces_.upper_bound(address);
  if (next == pieces_.begin()) return std::nullopt;
  const auto& [begin, piece] = *--next;
  const std::uint64_t offset = address - begin;
  if (offset > piece.bytes || bytes > piece.bytes - offset) return std::nullopt;
  return Place{piece.buffer.get(), offset};
}

}  // namespace blockyard::opencl
