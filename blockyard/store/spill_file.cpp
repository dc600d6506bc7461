// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/spill_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "blockyard/base/checksum.h"
#include "blockyard/base/error.h"

namespace blockyard::store {
namespace {

using base::Errc;
using base::Error;

constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t payload_offset = 64;  // in a record: a cache line for the header
constexpr std::uint32_t version = 1;
constexpr std::uint64_t most_reserved = std::uint64_t{64} << 20;  // of disk, ahead of need
static_assert(page_bytes == direct_bytes);

struct FileHeader {
  std::array<char, 8> magic{'B', 'Y', 'S', 'P', 'I', 'L', 'L', '\n'};
  std::uint32_t file_version = version;
  std::uint32_t page = page_bytes;
  std::uint64_t header_checksum = 0;  // of the bytes before it
};

struct RecordHeader {
  std::array<char, 8> magic{'B', 'Y', 'R', 'E', 'C', 'O', 'R', 'D'};
  std::uint64_t offset = 0;  // its own: a header that stands elsewhere is not one
  std::uint64_t bytes = 0;
  std::uint64_t pages = 0;
  std::uint64_t payload_checksum = 0;
  std::uint64_t header_checksum = 0;  // of the bytes before it
};
static_assert(sizeof(FileHeader) == 24 && sizeof(RecordHeader) == 48);

template <class Header>
std::uint64_t checksum_of(const Header& header) {
  return base::checksum(
      std::as_bytes(std::span(&header, 1)).first(sizeof(Header) - sizeof(std::uint64_t)));
}

template <class Header>
bool is_whole(const Header& header) {
  return header.magic == Header{}.magic && header.header_checksum == checksum_of(header);
}

template <class Header>
Header read_header(File& file, std::uint64_t offset) {
  Header header;
  file.read_at(offset, std::as_writable_bytes(std::span(&header, 1)));
  return header;
}

/// The form in which a record is read: whole pages, without the rest of its size class.
std::size_t read_bytes(std::uint64_t payload_bytes) {
  return (payload_offset + payload_bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/// Pages for a payload, rounded up to a size class: classes grow by an eighth.
std::uint64_t pages_for(std::uint64_t bytes) {
  const std::uint64_t pages = (payload_offset + bytes + page_bytes - 1) / page_bytes;
  const std::uint64_t step = std::max<std::uint64_t>(1, std::bit_floor(pages) / 8);
  return (pages + step - 1) / step * step;
}

}  // namespace

void RecordPages::Free::operator()(std::byte* pages) const noexcept { std::free(pages); }

std::byte* RecordPages::of(std::size_t bytes) {
  if (bytes > size_) {
    bytes_.reset();
    size_ = 0;
    bytes_.reset(static_cast<std::byte*>(std::aligned_alloc(page_bytes, bytes)));
    if (bytes_ == nullptr)
      throw Error(Errc::no_memory, "no memory is left to read or write a block");
    size_ = bytes;
  }
  return bytes_.get();
}

SpillFile::SpillFile(Store& store, std::filesystem::path path)
    : path_(std::move(path)), file_(store.open(path_, OpenMode::direct)) {
  store.remove(path_);
  FileHeader header;
  header.header_checksum = checksum_of(header);
  RecordPages pages;
  std::byte* const first = pages.of(page_bytes);
  std::memset(first, 0, page_bytes);
  std::memcpy(first, &header, sizeof header);
  file_->write_at(0, {first, page_bytes});
  end_ = page_bytes;
}

SpillFile::Record SpillFile::reserve(std::uint64_t bytes) {
  Place place{0, bytes, pages_for(bytes)};
  const std::lock_guard lock(mutex_);
  auto& free = free_offsets_[place.pages];
  if (free.empty()) {
    place.offset = end_;
    end_ += place.pages * page_bytes;
    if (end_ > reserved_) {
      reserved_ = end_ + std::min(end_, most_reserved);
      file_->reserve(reserved_);
    }
  } else {
    place.offset = free.back();
    free.pop_back();
  }
  return {this, place};
}

void SpillFile::write(const Place& place, std::span<const std::byte> bytes, RecordPages& pages) {
  base::require(bytes.size() == place.bytes, "a record is written in its own length");
  RecordHeader header;
  header.offset = place.offset;
  header.bytes = place.bytes;
  header.pages = place.pages;
  header.payload_checksum = base::checksum(bytes);
  header.header_checksum = checksum_of(header);
  // In one piece, and in whole pages: as direct I/O wants it. The whole slot: a file with holes is
  // slow to remove.
  const std::size_t size = place.pages * page_bytes;
  std::byte* const to = pages.of(size);
  std::memset(to, 0, payload_offset);
  std::memcpy(to, &header, sizeof header);
  if (!bytes.empty()) std::memcpy(to + payload_offset, bytes.data(), bytes.size());
  std::memset(to + payload_offset + bytes.size(), 0, size - payload_offset - bytes.size());
  file_->write_at(place.offset, {to, size});
}

void SpillFile::read(const Place& place, std::span<std::byte> into, RecordPages& pages) {
  base::require(into.size() == place.bytes, "a record is read in its own length");
  const std::size_t size = read_bytes(place.bytes);
  std::byte* const from = pages.of(size);
  file_->read_at(place.offset, {from, size});
  RecordHeader header;
  std::memcpy(&header, from, sizeof header);
  const bool is_ours =
      is_whole(header) && header.offset == place.offset && header.bytes == place.bytes;
  if (is_ours && !into.empty()) std::memcpy(into.data(), from + payload_offset, into.size());
  if (!is_ours || base::checksum(into) != header.payload_checksum)
    throw Error(Errc::io,
                fmt::format("cannot read {}: the record at byte {} is not what was written there "
                            "(its checksum is wrong); the disk or the file is damaged",
                            path_.string(), place.offset));
}

std::uint64_t SpillFile::end() const {
  const std::lock_guard lock(mutex_);
  return end_;
}

void SpillFile::release(const Place& place) noexcept {
  const std::lock_guard lock(mutex_);
  free_offsets_[place.pages].push_back(place.offset);
}

bool is_spill_file(File& file) {
  std::array<char, 8> magic{};
  if (file.size() < magic.size()) return false;
  file.read_at(0, std::as_writable_bytes(std::span(magic)));
  return magic == FileHeader{}.magic;
}

std::string describe_spill_file(File& file, std::string_view name) {
  const std::uint64_t size = file.size();
  if (size < sizeof(FileHeader) || !is_whole(read_header<FileHeader>(file, 0)))
    throw Error(Errc::bad_input,
                fmt::format("{} is not a spill file of blockyard, or its head is damaged", name));
  const auto head = read_header<FileHeader>(file, 0);
  if (head.file_version != version || head.page != page_bytes)
    throw Error(Errc::bad_input,
                fmt::format("{} is a spill file of version {}; this program reads version {}", name,
                            head.file_version, version));
  std::string text = fmt::format("spill file, version {}, {} bytes\n", head.file_version, size);
  std::vector<std::byte> payload;
  std::uint64_t count = 0;
  for (std::uint64_t at = page_bytes; at + sizeof(RecordHeader) <= size;) {
    const auto header = read_header<RecordHeader>(file, at);
    const std::uint64_t room = size - std::min(size, at + payload_offset);
    if (!is_whole(header) || header.offset != at || header.bytes > room) {
      at += page_bytes;  // reserved and never written, or damaged: look on
      continue;
    }
    payload.resize(header.bytes);
    file.read_at(at + payload_offset, payload);
    const bool is_good = base::checksum(payload) == header.payload_checksum;
    fmt::format_to(std::back_inserter(text), "record at byte {}: {} bytes, checksum {:016x} {}\n",
                   at, header.bytes, header.payload_checksum, is_good ? "good" : "WRONG");
    ++count;
    at += std::max<std::uint64_t>(1, header.pages) * page_bytes;
  }
  return text + fmt::format("{} records\n", count);
}

}  // namespace blockyard::store
