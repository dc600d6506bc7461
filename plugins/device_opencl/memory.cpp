// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <span>
#include <utility>

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
  if (bytes > pieces_.free_bytes() ||
      bytes > property<cl_ulong>(device_, CL_DEVICE_MAX_MEM_ALLOC_SIZE))
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

Buffer Machine::over(void* host, std::uint64_t bytes) {
  cl_int code = CL_SUCCESS;
  Buffer buffer(
      clCreateBuffer(context_.get(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, host, &code));
  check(code, "clCreateBuffer over host memory");
  return buffer;
}

/// OpenCL promises neither, but a processor has no reason to keep another copy: the device writes
/// what the host then reads, and reads what the host wrote after that. Tried where blocks may be:
/// at a multiple of 64 and of no more, of any length.
bool Machine::try_in_place() {
  constexpr std::size_t count = 61, offset = 64;
  const std::unique_ptr<std::byte, FreeAligned> memory(static_cast<std::byte*>(
      ::operator new[](offset + count * sizeof(float), std::align_val_t{alignment})));
  const std::span<float> values(reinterpret_cast<float*>(memory.get() + offset), count);
  std::ranges::fill(values, 1.0F);
  Buffer buffer;
  try {
    buffer = over(values.data(), values.size_bytes());
  } catch (const Failure&) {
    return false;  // it takes no memory of the host: blocks are copied
  }
  Stream& stream = *open_stream();
  const double written[] = {2.0, 0.0};
  fill(stream, {buffer.get(), 0}, BLOCKYARD_F32, written, count);
  finish(pending(stream));
  bool is_seen = std::ranges::count(values, 2.0F) == count;
  std::ranges::fill(values, 3.0F);
  std::array<float, count> read_there{};
  read(stream, read_there.data(), {buffer.get(), 0}, values.size_bytes());
  finish(pending(stream));
  is_seen = is_seen && std::ranges::count(read_there, 3.0F) == count;
  close_stream(&stream);
  return is_seen;
}

/// A view is only a pointer and a length: it stays right whatever happens to the memory, and is
/// kept for the next block there, until many others were used since.
std::optional<Machine::Place> Machine::host_place(std::uint64_t address, std::uint64_t bytes) {
  constexpr std::size_t most_views = 4096;
  if (!works_in_place_ || address == 0 || pieces_.find(address, 1).first != nullptr)
    return std::nullopt;
  if (bytes == 0) return Place{};
  if (views_.size() >= most_views) old_views_ = std::exchange(views_, {});
  Buffer& view = views_[{address, bytes}];
  if (const auto old = old_views_.find({address, bytes}); !view && old != old_views_.end())
    view = old->second;
  if (!view) view = over(reinterpret_cast<void*>(address), bytes);
  return Place{view.get(), 0};
}

}  // namespace blockyard::opencl
