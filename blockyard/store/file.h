// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace blockyard::store {

/// In a file opened as `direct`, offsets, lengths and addresses are multiples of this.
inline constexpr std::size_t direct_bytes = 4096;

/// Memory in several places, which is one run of bytes in a file.
using Rows = std::span<const std::span<std::byte>>;

/// Bytes at offsets. Every function throws Error{io} that names the file and the cause.
/// Any thread; concurrent reads and writes of one place see any mixture.
class File {
 public:
  virtual ~File() = default;
  /// Fills `into`. A file that ends before is an error.
  virtual void read_at(std::uint64_t offset, std::span<std::byte> into) = 0;
  /// Writes all of `from`. The file grows as needed; gaps read as zeros.
  virtual void write_at(std::uint64_t offset, std::span<const std::byte> from) = 0;
  /// The same for the bytes of all rows, one row after the other.
  virtual void read_rows_at(std::uint64_t offset, Rows into) {
    for (const auto row : into) {
      read_at(offset, row);
      offset += row.size();
    }
  }
  virtual void write_rows_at(std::uint64_t offset, Rows from) {
    for (const auto row : from) {
      write_at(offset, row);
      offset += row.size();
    }
  }
  [[nodiscard]] virtual std::uint64_t size() = 0;
  /// A hint that the file will have this length: its place on disk is taken in one piece.
  virtual void reserve(std::uint64_t) {}
  /// Returns when all that was written would survive a power failure.
  virtual void sync() = 0;
};

enum class OpenMode {
  read,    ///< what is there
  update,  ///< the same, to be written to as well
  create,  ///< an empty file, in place of what was there; may be read and written
  direct   ///< the same, past the system's cache where the disk can: see direct_bytes
};

/// Where files are. Any thread.
class Store {
 public:
  virtual ~Store() = default;
  [[nodiscard]] virtual std::unique_ptr<File> open(const std::filesystem::path& path,
                                                   OpenMode mode) = 0;
  /// A missing file is not an error. Open files stay usable.
  virtual void remove(const std::filesystem::path& path) = 0;
};

}  // namespace blockyard::store
