// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "blockyard/store/file.h"

namespace blockyard::store {

/// The identity of a file: its checkpoint, and its part of that ("server-0", "worker-1").
struct CheckpointStamp {
  std::uint64_t checkpoint = 0;
  std::string part;
  friend bool operator==(const CheckpointStamp&, const CheckpointStamp&) = default;
};

/// A number for a new checkpoint, different from those of others.
[[nodiscard]] std::uint64_t random_checkpoint();

/// Where the bytes of a record are. Records may share their bytes.
struct CheckpointRecord {
  std::uint32_t group = 0;   ///< position in groups()
  std::uint64_t number = 0;  ///< in its group
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
  friend bool operator==(const CheckpointRecord&, const CheckpointRecord&) = default;
};

/// Writes numbered records of bytes, in named groups, to a new file; docs/disk.md has the layout.
/// The file is valid only once finish() has returned; without that it goes with the writer. Throws
/// Error{io}. One thread.
class CheckpointWriter {
 public:
  CheckpointWriter(Store& store, std::filesystem::path path, CheckpointStamp stamp);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// A group may have no records. Returns its number.
  std::uint32_t add_group(std::string_view name);
  void add(std::uint32_t group, std::uint64_t number, std::span<const std::byte> bytes);
  /// Adds the bytes of the last record again, under another name.
  void add_same(std::uint32_t group, std::uint64_t number, const CheckpointRecord& as);
  [[nodiscard]] const CheckpointRecord& last() const noexcept { return records_.back(); }
  /// Returns when all is on disk and was read back and found to be right.
  void finish();

 private:
  void append(std::span<const std::byte> bytes);
  void flush();
  void verify();

  Store& store_;
  std::filesystem::path path_;
  CheckpointStamp stamp_;
  std::unique_ptr<File> file_;
  std::vector<std::string> groups_;
  std::vector<CheckpointRecord> records_;
  std::vector<std::byte> pending_;  ///< small records on their way, to be written at once
  std::uint64_t end_ = 0;           ///< of the file, pending_ included
  bool is_finished_ = false;
};

/// Reads what CheckpointWriter wrote. Throws Error{bad_input} with the fault of the
/// file: cut short, changed, of another checkpoint or another part. One thread.
class CheckpointReader {
 public:
  CheckpointReader(Store& store, std::filesystem::path path);
  /// Opens the file that has this stamp.
  CheckpointReader(Store& store, std::filesystem::path path, const CheckpointStamp& expected);

  [[nodiscard]] const CheckpointStamp& stamp() const noexcept { return stamp_; }
  [[nodiscard]] const std::vector<std::string>& groups() const noexcept { return groups_; }
  /// In the order in which they were added.
  [[nodiscard]] const std::vector<CheckpointRecord>& records() const noexcept { return records_; }
  /// REQUIRES: into.size() == record.bytes.
  void read(const CheckpointRecord& record, std::span<std::byte> into) const;
  [[nodiscard]] std::vector<std::byte> read(const CheckpointRecord& record) const;

 private:
  void read_directory();
  [[noreturn]] void refuse(std::string_view what) const;

  std::filesystem::path path_;
  std::unique_ptr<File> file_;
  CheckpointStamp stamp_;
  std::vector<std::string> groups_;
  std::vector<CheckpointRecord> records_;
};

}  // namespace blockyard::store
