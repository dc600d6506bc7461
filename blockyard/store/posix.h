// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>

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
/// an empty folder); returns
/// when that would survive a power failure. Both in one folder. Throws Error{io}.
void rename_durably(const std::filesystem::path& temporary, const std::filesystem::path& path);

/// Writes a whole file: at any time, also after a power failure, there is the old one or the new
/// one, never a part. Throws Error{io}; no temporary file is left then.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes);

/// The name that a file has until it is whole: beside it, of this process alone.
[[nodiscard]] std::filesystem::path temporary_beside(const std::filesystem::path& path);

}  // namespace blockyard::store
