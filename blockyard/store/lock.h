// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace blockyard::store {

/// A process's exclusive claim, by a lock on a file that says "PID HOST". The system
/// ends the hold when the process ends, however that happens, so no hold is ever stale. At its
/// end it removes the file. Any thread.
class FileLock {
 public:
  /// Nothing if it is already held, by this process or another. Makes the file if need be; not
  /// its folder. Throws Error{io}.
  [[nodiscard]] static std::optional<FileLock> try_take(const std::filesystem::path& path);
  FileLock(FileLock&& other) noexcept
      : path_(std::move(other.path_)),
        descriptor_(std::exchange(other.descriptor_, -1)),
        is_sure_(other.is_sure_) {}
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

  /// False where the file system has no locks (some NFS and Lustre mounts).
  [[nodiscard]] bool is_sure() const noexcept { return is_sure_; }

 private:
  FileLock(std::filesystem::path path, int descriptor, bool is_sure) noexcept
      : path_(std::move(path)), descriptor_(descriptor), is_sure_(is_sure) {}
  std::filesystem::path path_;
  int descriptor_;
  bool is_sure_;
};

/// The contents of a lock file: the process that holds it, or held it last.
struct LockHolder {
  std::string process;
  std::string host;
  [[nodiscard]] bool is_of_this_host() const;
};

/// Nothing if the file does not exist or is empty.
[[nodiscard]] std::optional<LockHolder> holder_of(const std::filesystem::path& path);

/// "process 123 on host" for messages.
[[nodiscard]] std::string describe_holder(const std::filesystem::path& path);

}  // namespace blockyard::store
