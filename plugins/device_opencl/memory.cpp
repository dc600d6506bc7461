// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <new>

#include "plugins/device_opencl/machine.h"

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

void Machine::FreeAligned::operator()(std::byte* bytes) const noexcept {
  ::operator delete[](bytes, std::align_val_t{alignment});
}

std::uint64_t Machine::allocate(std::uint64_t bytes) {
  if (bytes > free_bytes() || bytes > property<cl_ulong>(device_, CL_DEVICE_MAX_MEM_ALLOC_SIZE))
    return 0;
  const std::uint64_t room = rounded_up(bytes);
  Piece piece;
  cl_mem_flags flags = CL_MEM_READ_WRITE;
  if (is_cpu_) {
    flags |= CL_MEM_USE_HOST_PTR;
    piece.host.reset(
        static_cast<std::byte*>(::operator new[](room, std::align_val_t{alignment}, std::nothrow)));
    if (!piece.host) return 0;
  }
  cl_int code = CL_SUCCESS;
  piece.buffer = Buffer(clCreateBuffer(context_.get(), flags, room, piece.host.get(), &code));
  if (is_shortage(code)) return 0;
  check(code, "clCreateBuffer");
  const std::uint64_t address =
      is_cpu_ ? reinterpret_cast<std::uintptr_t>(piece.host.get()) : next_address_;
  next_address_ += room + alignment;
  pieces_.add(address, bytes, std::move(piece));
  return address;
}

bool Machine::release(std::uint64_t address) {
  const auto piece = pieces_.remove(address);
  if (piece && is_cpu_)
    finish_all();  // a buffer waits for its users by itself, host memory does not
  return piece.has_value();
}

std::optional<Machine::Place> Machine::find(std::uint64_t address, std::uint64_t bytes) const {
  const auto [piece, offset] = pieces_.find(address, bytes);
  if (piece == nullptr) return std::nullopt;
  return Place{piece->buffer.get(), offset};
}

}  // namespace blockyard::opencl
