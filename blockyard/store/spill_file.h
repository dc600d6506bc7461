// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blockyard/store/file.h"

namespace blockyard::store {

/// Memory that direct I/O can use, for one record at a time: of a thread that reads and writes
/// records, of whatever file. Grows to the largest. One thread.
class RecordPages {
 public:
  /// At least `bytes`, from the begin of a page. Throws Error{no_memory}.
  [[nodiscard]] std::byte* of(std::size_t bytes);

 private:
  struct Free {
    void operator()(std::byte* pages) const noexcept;
  };
  std::unique_ptr<std::byte, Free> bytes_;
  std::size_t size_ = 0;
};

/// Records of bytes on disk for one run, with checksums. Places of ended records are used again by
/// records of the same size class. docs/disk.md has the layout. The file loses its name as soon as
/// it is open, so that whatever ends the process also ends the file.
/// Any thread: mutex_ guards the places; a record is read or written by one thread at a time.
class SpillFile {
 public:
  /// Where a record is.
  struct Place {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;  ///< of its payload
    std::uint64_t pages = 0;  ///< of its size class
  };

  /// Sole owner of a place; gives it back at its end. Must not outlive the file.
  class Record {
   public:
    Record() = default;
    Record(Record&& other) noexcept
        : file_(std::exchange(other.file_, nullptr)), place_(other.place_) {}
    Record& operator=(Record&& other) noexcept {
      std::swap(file_, other.file_);
      std::swap(place_, other.place_);
      return *this;
    }
    ~Record() {
      if (file_ != nullptr) file_->release(place_);
    }
    [[nodiscard]] explicit operator bool() const noexcept { return file_ != nullptr; }
    [[nodiscard]] const Place& place() const noexcept { return place_; }

   private:
    friend class SpillFile;
    Record(SpillFile* file, const Place& place) noexcept : file_(file), place_(place) {}
    SpillFile* file_ = nullptr;
    Place place_;
  };

  /// Creates the file. Throws Error{io}.
  SpillFile(Store& store, std::filesystem::path path);
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  /// A place for `bytes`. Writes no data.
  [[nodiscard]] Record reserve(std::uint64_t bytes);
  /// Writes as many bytes as the place is for. Throws Error{io}.
  void write(const Place& place, std::span<const std::byte> bytes, RecordPages& pages);
  /// Reads them back. Throws Error{io} if the disk fails, or if they are not what was written.
  void read(const Place& place, std::span<std::byte> into, RecordPages& pages);
  /// Length of the file.
  [[nodiscard]] std::uint64_t end() const;

 private:
  void release(const Place& place) noexcept;

  std::filesystem::path path_;  // for messages
  std::unique_ptr<File> file_;
  mutable std::mutex mutex_;
  std::uint64_t end_ = 0;
  std::uint64_t reserved_ = 0;                                        // on disk
  std::map<std::uint64_t, std::vector<std::uint64_t>> free_offsets_;  // by pages
};

/// Whether it begins as a spill file does.
[[nodiscard]] bool is_spill_file(File& file);

/// The records in a spill file as text, one a line, each with the result of its checksum.
/// Throws Error{bad_input}, which begins with `name`, if it is not a spill file.
[[nodiscard]] std::string describe_spill_file(File& file, std::string_view name);

}  // namespace blockyard::store
