// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/base/integer.h"
#include "blockyard/store/file.h"

namespace blockyard::store {

using base::Extent;

/// A file of tiles: a dense array cut into tiles of equal edges, except for the last ones.
struct TiledArray {
  std::string name;
  std::int32_t kind = 0;  ///< of elements, as the writer counts kinds
  std::uint32_t element_bytes = 0;
  std::vector<Extent> extents;  ///< first index fastest
  std::vector<Extent> edges;    ///< of tiles
  std::uint32_t files = 1;      ///< which tiles are dealt to in turn
  friend bool operator==(const TiledArray&, const TiledArray&) = default;
};

/// Edges of tiles that are not much larger than two megabytes, like `wanted` (0 or less: any) where
/// that fits.
[[nodiscard]] std::vector<Extent> tile_edges(std::span<const Extent> extents,
                                             std::span<const Extent> wanted,
                                             std::uint32_t element_bytes);

/// The elements of a tile: from first[d] on, count[d] of them; first index fastest.
struct Tile {
  std::vector<Extent> first, count;
  [[nodiscard]] Extent element_count() const noexcept;
};

/// An array on disk, a tile at a time, each with a checksum; docs/disk.md has the layout. With
/// several files the others are named like the first, which knows how many there are, and ".1",
/// ".2", ...: a file is written to by one process at a time.
/// Any thread and any number of processes, a tile by one of them at a time.
/// Throws Error{io} for the disk and for a tile that is not what was written, Error{bad_input} for
/// a file that is something else.
class TileFile {
 public:
  /// A new file, in place of what was there, in which all elements are 0.
  static void create(Store& store, const std::filesystem::path& path, const TiledArray& array);
  /// All of its files.
  static void remove(Store& store, const std::filesystem::path& path, std::uint32_t files);
  /// mode: read or update.
  TileFile(Store& store, std::filesystem::path path, OpenMode mode);

  [[nodiscard]] const TiledArray& array() const noexcept { return array_; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Tiles along each index, and in total; they are numbered first index fastest.
  [[nodiscard]] const std::vector<Extent>& grid() const noexcept { return grid_; }
  [[nodiscard]] Extent tile_count() const noexcept;
  [[nodiscard]] Tile tile(Extent number) const;

  /// As many bytes as the tile has.
  void write(Extent number, std::span<const std::byte> bytes);
  /// False: it was never written, and the bytes are zeros.
  bool read(Extent number, std::span<std::byte> into) { return read(number, Rows(&into, 1)); }
  /// The same from and into memory in several places.
  void write(Extent number, Rows rows);
  bool read(Extent number, Rows rows);
  void sync();

 private:
  [[nodiscard]] File& file_of(Extent number) const noexcept;
  [[nodiscard]] std::uint64_t offset_of(Extent number) const noexcept;

  std::filesystem::path path_;
  std::vector<std::unique_ptr<File>> files_;
  TiledArray array_;
  std::vector<Extent> grid_;
  std::uint64_t slot_bytes_ = 0;
};

[[nodiscard]] bool is_tile_file(File& file);
/// The contents of a file of tiles as text, with the results of the checksums.
[[nodiscard]] std::string describe_tile_file(Store& store, const std::filesystem::path& path);

}  // namespace blockyard::store
