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
#include <new>

#include "blockyard/base/error.h"

namespace blockyard::python {

namespace {

constexpr std::size_t page_bytes = MapFile::page_bytes;
constexpr std::size_t piece_bytes = std::size_t{1} << 20;

[[noreturn]] void fail(std::string_view why) {
  throw base::Error(base::Errc::io,
                    fmt::format("cannot read the file of a memory-mapped array: {}", why));
}

}  // namespace

void PageBuffer::Free::operator()(std::byte* memory) const noexcept { std::free(memory); }

std::byte* PageBuffer::room_for(std::size_t bytes) {
  const std::size_t wanted = (bytes + 3 * page_bytes - 1) / page_bytes * page_bytes;
  if (wanted > size_) {
    memory_.reset();
    size_ = 0;
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(page_bytes, wanted)));
    if (!memory_) throw std::bad_alloc();
    size_ = wanted;
  }
  return memory_.get();
}

MapFile::MapFile(int file, const void* begin, std::uint64_t offset)
    : file_(file), begin_(static_cast<const std::byte*>(begin)), offset_(offset) {
  if (file_ >= 0)
    direct_ =
        ::open(fmt::format("/proc/self/fd/{}", file_).c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
}

MapFile::~MapFile() {
  if (direct_ >= 0) ::close(direct_);
}

void MapFile::read(const void* from, std::span<std::byte> into, How how) const {
  thread_local PageBuffer buffer;
  const auto* place = static_cast<const std::byte*>(from);
  while (!into.empty()) {
    const auto piece = into.first(std::min(piece_bytes, into.size()));
    const std::uint64_t at = place_of(place);
    const bool is_direct = direct_ >= 0 && !how.is_shared && !is_cached(place, piece.size());
    const auto room =
        !is_direct || how.is_in_place
            ? piece
            : std::span(buffer.room_for(piece.size()) + at % page_bytes, piece.size());
    if (!is_direct || !read_pages(at, room)) {
      read_plainly(at, piece);
    } else if (!how.is_in_place) {
      std::memcpy(piece.data(), room.data(), piece.size());
    }
    place += piece.size();
    into = into.subspan(piece.size());
  }
}

void MapFile::ask_for(const void* from, std::size_t bytes) const noexcept {
  ::posix_fadvise(file_, static_cast<off_t>(place_of(from)), static_cast<off_t>(bytes),
                  POSIX_FADV_WILLNEED);
}

/// Whether most of it is in memory already. At most a piece.
bool MapFile::is_cached(const void* from, std::size_t size) const {
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

/// Past the page cache, in whole pages around what is wanted. False if that cannot be; a plain read
/// says why.
bool MapFile::read_pages(std::uint64_t at, std::span<std::byte> into) const {
  const std::size_t skip = at % page_bytes;
  const std::size_t length = (skip + into.size() + page_bytes - 1) / page_bytes * page_bytes;
  const ssize_t got = ::pread(direct_, into.data() - skip, length, static_cast<off_t>(at - skip));
  return got >= static_cast<ssize_t>(skip + into.size());
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
