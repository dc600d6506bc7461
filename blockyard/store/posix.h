// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "blockyard/store/file.h"

namespace blockyard::store {

/// The files of this machine.
class PosixStore final : public Store {
 public:
  [[nodiscard]] std::unique_ptr<File> open(const std::filesystem::path& path,
                                           OpenMode mode) override;
  void remove(const std::filesystem::path& path) override;
};

/// Returns when the bytes of the file would survive a power failure. Throws Error{io}.
void sync_file(const std::filesystem::path& path);

/// The same for the names in a folder.
void sync_folder(const std::filesystem::path& folder);

/// Gives `temporary`, whose bytes are on disk, the name `path`, in place of what had it (a file, or
/// an empty folder); returns when that would survive a power failure. Both in one folder.
/// Throws Error{io}.
void rename_durably(const std::filesystem::path& temporary, const std::filesystem::path& path);

}  // namespace blockyard::store
