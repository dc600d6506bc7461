// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "blockyard/garray/runtime.h"

// Checkpoints of chosen arrays: an HDF5 file with a dataset for each, under its name (a second one
// of a name gets the suffix " 2"); the last axis of HDF5 is the first of ours.
namespace blockyard::garray {

/// Collective among a group, of which the arrays are. The file is there, complete, on return;
/// before, and after an error, there is what was there. Throws at all members alike: Error{io}.
void save(const Runtime& runtime, int group, const std::filesystem::path& path,
          std::span<const Array* const> arrays);
/// Collective. Reads arrays of the same names, extents and types. Throws at all members alike:
/// Error{io}, or Error{bad_input} if the file has something else; no array is changed then.
void load(const Runtime& runtime, int group, const std::filesystem::path& path,
          std::span<const Array* const> arrays);

}  // namespace blockyard::garray
