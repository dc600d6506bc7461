// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace blockyard::store {

/// A file that will take the place of another, or become a new one, when it is complete. At any
/// time, also after a power failure, there is the old one or the new one, never a part. A symbolic
/// link stays one: what it leads to is replaced. The permissions of the old file stay. One thread.
class Replacement {
 public:
  /// Makes an empty file in the same folder, of an unpredictable name, which goes with
  /// this object unless it was committed. Throws Error{io}; also if `path` is there and is not a
  /// regular file.
  explicit Replacement(const std::filesystem::path& path);
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement();

  /// To be written to.
  [[nodiscard]] const std::filesystem::path& temporary() const noexcept { return temporary_; }
  /// Returns when the bytes would survive a power failure under their name. Throws Error{io}.
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  bool is_committed_ = false;
};

/// Writes all that a user asked for in a file: a regular or new one is replaced as a whole; a
/// device, a FIFO or what /proc leads to (/dev/stdout) is written into. Throws Error{io}; no
/// temporary file is left then.
void write_whole_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

/// Throws Error{io} if write_whole_file could not succeed: tries all of it but the bytes. An
/// existing file is not touched.
void check_writable(const std::filesystem::path& path);

/// Checks a file that Replacement is to write: a device or a FIFO is refused.
void check_replaceable(const std::filesystem::path& path);

}  // namespace blockyard::store
