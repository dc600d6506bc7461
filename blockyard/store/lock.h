// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace blockyard::store {

/// The sole hold of a process on something, by a lock on a file that says "PID HOST". The system
/// ends the hold when the process ends, however that happens, so no hold is ever stale. At its
/// end it removes the file. Any thread.
class FileLock {
 public:
  /// Nothing if another one holds it, of this process or another. Makes the file if need be; not
  /// its folder. Throws Error{io}.
  [[nodiscard]] static std::optional<FileLock> try_take(const std::filesystem::path& path);
  FileLock(FileLock&& other) noexcept
      : path_(std::move(other.path_)),
        descriptor_(std::exchange(other.descriptor_, -1)),
        is_sure_(other.is_sure_) {}
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

  /// False where the file system has no locks (some NFS and Lustre mounts): nobody is kept out.
  [[nodiscard]] bool is_sure() const noexcept { return is_sure_; }

 private:
  FileLock(std::filesystem::path path, int descriptor, bool is_sure) noexcept
      : path_(std::move(path)), descriptor_(descriptor), is_sure_(is_sure) {}
  std::filesystem::path path_;
  int descriptor_;
  bool is_sure_;
};

/// What the file of a lock says of the process that holds it, or held it last.
struct LockHolder {
  std::string process;
  std::string host;
  [[nodiscard]] bool is_of_this_host() const;
};

/// Nothing if there is no such file or it says nothing.
[[nodiscard]] std::optional<LockHolder> holder_of(const std::filesystem::path& path);

/// "process 123 on host" for messages.
[[nodiscard]] std::string describe_holder(const std::filesystem::path& path);

}  // namespace blockyard::store
