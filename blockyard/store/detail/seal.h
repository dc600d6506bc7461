// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace blockyard::store {

/// Appends the seal of docs/disk.md to a complete file: a checksum of all its bytes. HDF5 does not
/// see the bytes after its end of a file, and does not survive every damage inside of it.
/// Throws Error{io}.
void append_seal(const std::filesystem::path& path);

/// Throws Error{bad_input} if the file has a seal that does not fit its bytes, Error{io} if it
/// cannot be read. A file without a seal passes: older ones, and those that another program has
/// written to since.
void check_seal(const std::filesystem::path& path);

}  // namespace blockyard::store
