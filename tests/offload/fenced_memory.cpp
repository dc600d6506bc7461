// SPDX-License-Identifier: Apache-2.0
/// Loaded before a program, this lets what it allocates by `new` end at a page that cannot be read.
/// A library that reads past the end of an array then ends the program each time, not once in a
/// hundred thousand calls.
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t page_bytes = 4096, least_fenced_bytes = 512, usual_alignment = 16;

/// Stands in front of all memory that is given out.
struct Header {
  void* mapped;  ///< null: from malloc, where `bytes` are in front of the memory
  std::size_t bytes;
};
static_assert(sizeof(Header) == usual_alignment);

void* with_header(std::byte* at, const Header& header) {
  *reinterpret_cast<Header*>(at - sizeof(Header)) = header;
  return at;
}

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes < least_fenced_bytes) {
    const std::size_t front = std::max(alignment, sizeof(Header));
    auto* const made = static_cast<std::byte*>(
        std::aligned_alloc(front, (front + bytes + front - 1) / front * front));
    return made == nullptr ? nullptr : with_header(made + front, {nullptr, front});
  }
  const std::size_t room = (bytes + alignment + sizeof(Header) + page_bytes - 1) / page_bytes;
  const std::size_t mapped_bytes = (room + 1) * page_bytes;
  void* const mapped =
      mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  std::byte* const end = static_cast<std::byte*>(mapped) + room * page_bytes;
  mprotect(end, page_bytes, PROT_NONE);
  const std::size_t from_end = (bytes + alignment - 1) / alignment * alignment;
  return with_header(end - from_end, {mapped, mapped_bytes});
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const made = allocate(bytes, alignment);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  auto* const at = static_cast<std::byte*>(memory);
  const Header header = *reinterpret_cast<Header*>(at - sizeof(Header));
  if (header.mapped == nullptr)
    std::free(at - header.bytes);
  else
    munmap(header.mapped, header.bytes);
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, usual_alignment); }
void* operator new[](std::size_t bytes) { return allocate_or_throw(bytes, usual_alignment); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, usual_alignment);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, usual_alignment);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment,
                     const std::nothrow_t&) noexcept {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  release(memory);
}
