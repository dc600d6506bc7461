// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace blockyard::job {

/// A fresh folder of this run for spilled blocks; goes, with all in it, at the end.
class ScratchFolder {
 public:
  /// Makes `parent`/blockyard-XXXXXX. Throws Error{io} that names the folder.
  explicit ScratchFolder(const std::filesystem::path& parent);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Removes the folder before its time. Any thread.
  void remove() const noexcept;

 private:
  std::filesystem::path path_;
};

}  // namespace blockyard::job
