// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "blockyard/store/lock.h"

namespace blockyard::job {

/// `given`, or the system's folder for temporary files if that is empty. Throws Error{io} that
/// names TMPDIR if it is no folder.
[[nodiscard]] std::filesystem::path scratch_parent(const std::string& given);

/// A fresh folder of this run for spilled blocks; goes, with all in it, at the end. A lock in it
/// distinguishes the folder of an active run from one left by a killed run.
class ScratchFolder {
 public:
  /// Removes leftovers of killed runs of this user on this machine from `parent`, and makes
  /// `parent`/blockyard-scratch-XXXXXX. Throws Error{io} that names the folder.
  explicit ScratchFolder(const std::filesystem::path& parent);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Removes the folder early. Any thread.
  void remove() const noexcept;

 private:
  /// Nothing if another run removed the folder as stale before it was locked.
  [[nodiscard]] std::optional<store::FileLock> try_lock() const;

  std::filesystem::path path_;
  std::optional<store::FileLock> lock_;
};

}  // namespace blockyard::job
