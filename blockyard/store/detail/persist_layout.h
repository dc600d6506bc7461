// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blockyard/store/detail/hdf5.h"
#include "blockyard/store/persist_file.h"

/// What writer and reader of persistent arrays agree on. docs/disk.md describes it.
namespace blockyard::store::layout {

inline constexpr std::int64_t format_version = 2;
/// All its elements are f64.
inline constexpr std::int64_t oldest_version = 1;
inline constexpr const char* version_attribute = "blockyard format";
inline constexpr const char* program_attribute = "blockyard version";
inline constexpr const char* kind_attribute = "kind";

/// "segments 0", "segments 1", ...: extents of the segments of an index.
[[nodiscard]] std::string segments_attribute(std::size_t index);

[[nodiscard]] std::string array_name(const std::string& label);
[[nodiscard]] std::string blocks_name(const std::string& label);
[[nodiscard]] std::string scalar_name(const std::string& label);

/// Throws Error{bad_input} unless there is an index and no extent is negative.
void check_array(const std::string& label, const PersistedArray& array);
/// Lengths of the indexes in the order of HDF5: ours reversed.
[[nodiscard]] std::vector<hsize_t> dims_of(const PersistedArray& array);
[[nodiscard]] std::vector<hsize_t> grid_of(const PersistedArray& array);

/// Whether it has no elements: such a piece is neither written nor read.
[[nodiscard]] bool is_empty(const Piece& piece);

/// The dataspace of a dataset with the piece selected, and that of its values in memory.
struct Selection {
  hdf5::SpaceId in_file;
  hdf5::SpaceId in_memory;
};
/// Throws Error{bad_input} if the piece is not inside, or has not `count` values.
[[nodiscard]] Selection select(hid_t dataset, const std::string& label, const Piece& piece,
                               std::size_t count);

}  // namespace blockyard::store::layout
