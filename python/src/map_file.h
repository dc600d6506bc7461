// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace blockyard::python {

/// The file behind a memory map, to read from. What is not in the page cache is read past it, so
/// that a large array neither displaces other pages nor is copied twice. Any thread.
class MapFile {
 public:
  /// `file`: open for reading, stays the caller's (-1: there is none); byte `offset` of it is at
  /// `begin` in the map.
  MapFile(int file, const void* begin, std::uint64_t offset);
  MapFile(const MapFile&) = delete;
  MapFile& operator=(const MapFile&) = delete;
  ~MapFile();

  [[nodiscard]] bool is_open() const noexcept { return file_ >= 0; }
  /// Reads from where the map has `from`. `is_shared`: somebody else soon wants what lies between,
  /// so it goes through the page cache. Throws Error{io}.
  void read(const void* from, std::span<std::byte> into, bool is_shared) const;

 private:
  [[nodiscard]] bool is_cached(const std::byte* from, std::size_t size) const;
  [[nodiscard]] bool read_past_cache(std::uint64_t at, std::span<std::byte> into) const;
  void read_plainly(std::uint64_t at, std::span<std::byte> into) const;

  int file_;
  int direct_ = -1;  ///< the same file; -1 where its file system does not have that
  const std::byte* begin_;
  std::uint64_t offset_;
};

}  // namespace blockyard::python
