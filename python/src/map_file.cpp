// SPDX-License-Identifier: Apache-2.0
#include "python/src/map_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "blockyard/base/error.h"

namespace blockyard::python {

namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t piece_bytes = std::size_t{1} << 20;

struct Free {
  void operator()(std::byte* memory) const noexcept { std::free(memory); }
};

/// Room for a piece and what lies around it in its first and last page.
std::byte* room_of_this_thread() {
  thread_local const std::unique_ptr<std::byte, Free> room(
      static_cast<std::byte*>(std::aligned_alloc(page_bytes, piece_bytes + 2 * page_bytes)));
  if (!room) throw std::bad_alloc();
  return room.get();
}

[[noreturn]] void fail(std::string_view why) {
  throw base::Error(base::Errc::io,
                    fmt::format("cannot read the file of a memory-mapped array: {}", why));
}

}  // namespace

MapFile::MapFile(int file, const void* begin, std::uint64_t offset)
    : file_(file), begin_(static_cast<const std::byte*>(begin)), offset_(offset) {
  if (file_ >= 0)
    direct_ =
        ::open(fmt::format("/proc/self/fd/{}", file_).c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
}

MapFile::~MapFile() {
  if (direct_ >= 0) ::close(direct_);
}

void MapFile::read(const void* from, std::span<std::byte> into, bool is_shared) const {
  const auto* place = static_cast<const std::byte*>(from);
  while (!into.empty()) {
    const std::size_t size = std::min(piece_bytes, into.size());
    const auto piece = into.first(size);
    const std::uint64_t at = offset_ + static_cast<std::uint64_t>(place - begin_);
    if (direct_ < 0 || is_shared || is_cached(place, size) || !read_past_cache(at, piece))
      read_plainly(at, piece);
    place += size;
    into = into.subspan(size);
  }
}

/// Whether most of it is in memory already.
bool MapFile::is_cached(const std::byte* from, std::size_t size) const {
  const auto address = reinterpret_cast<std::uintptr_t>(from);
  const std::uintptr_t first = address / page_bytes * page_bytes;
  const std::size_t length = address + size - first;
  std::array<unsigned char, piece_bytes / page_bytes + 2> is_resident{};
  if (::mincore(reinterpret_cast<void*>(first), length, is_resident.data()) != 0) return false;
  const auto pages = static_cast<std::ptrdiff_t>((length + page_bytes - 1) / page_bytes);
  return 2 * std::count_if(is_resident.begin(), is_resident.begin() + pages,
                           [](unsigned char byte) { return (byte & 1U) != 0; }) >
         pages;
}

/// Whole pages, of which what is wanted is copied. False if that cannot be; a plain read says why.
bool MapFile::read_past_cache(std::uint64_t at, std::span<std::byte> into) const {
  const std::uint64_t first = at / page_bytes * page_bytes;
  const std::size_t skip = at - first;
  const std::size_t length = (skip + into.size() + page_bytes - 1) / page_bytes * page_bytes;
  std::byte* room = room_of_this_thread();
  const ssize_t got = ::pread(direct_, room, length, static_cast<off_t>(first));
  if (got < static_cast<ssize_t>(skip + into.size())) return false;
  std::memcpy(into.data(), room + skip, into.size());
  return true;
}

void MapFile::read_plainly(std::uint64_t at, std::span<std::byte> into) const {
  while (!into.empty()) {
    const ssize_t got = ::pread(file_, into.data(), into.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(strerror(errno));
    if (got == 0) fail("it is too short");
    into = into.subspan(static_cast<std::size_t>(got));
    at += static_cast<std::uint64_t>(got);
  }
}

}  // namespace blockyard::python
