// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace blockyard::python {

/// Memory that begins at a page, for what is read past the page cache.
class PageBuffer {
 public:
  /// Room for this many bytes and the rest of their first and last page. The previous contents
  /// are lost if it grows.
  std::byte* room_for(std::size_t bytes);

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t size_ = 0;
};

/// The file of a memory map, to read from. Pages not in the page cache are read past it, so
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
  struct How {
    /// `into` lies as far after the start of a page as the bytes do in the file, and the
    /// rest of its first and last page may be overwritten: no copy. At most a MiB then.
    bool is_in_place = false;
    bool is_shared = false;  ///< the bytes between are soon read too: use the page cache
  };
  /// Reads from where the map has `from`. Throws Error{io}.
  void read(const void* from, std::span<std::byte> into, How how) const;
  /// Begins to bring it into the page cache.
  void ask_for(const void* from, std::size_t bytes) const noexcept;
  /// The offset of `from` from the start of its page of the file.
  [[nodiscard]] std::size_t offset_in_page(const void* from) const noexcept {
    return place_of(from) % page_bytes;
  }
  static constexpr std::size_t page_bytes = 4096;

 private:
  [[nodiscard]] std::uint64_t place_of(const void* from) const noexcept {
    return offset_ + static_cast<std::uint64_t>(static_cast<const std::byte*>(from) - begin_);
  }
  [[nodiscard]] bool is_cached(const void* from, std::size_t size) const;
  [[nodiscard]] bool read_pages(std::uint64_t at, std::span<std::byte> into) const;
  void read_plainly(std::uint64_t at, std::span<std::byte> into) const;

  int file_;
  int direct_ = -1;  ///< the same file; -1 where its file system does not have that
  const std::byte* begin_;
  std::uint64_t offset_;
};

}  // namespace blockyard::python
