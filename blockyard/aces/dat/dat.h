// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blockyard/array/index.h"
#include "blockyard/base/integer.h"

/// Binary job files of ACES4 (.dat): what a run of its programs needs, as its input reader left it.
/// docs/how_to/dat.md has the layout.
namespace blockyard::aces::dat {

using base::Extent;

/// A dense array with its data, first index fastest.
template <class T>
struct Array {
  std::vector<Extent> extents;
  std::vector<T> values;
  friend bool operator==(const Array&, const Array&) = default;
};

/// The content of a file; names in lower case.
struct DatFile {
  std::vector<std::string> programs;  ///< as they are written: scf_rhf.siox
  std::map<std::string, std::int32_t, std::less<>> ints;
  std::map<std::string, double, std::less<>> scalars;
  std::map<array::IndexKind, std::vector<Extent>> segments;  ///< extents; kind simple is left out
  std::map<std::string, Array<double>, std::less<>> scalar_arrays;
  std::map<std::string, Array<std::int32_t>, std::less<>> int_arrays;
  /// Section, and in it keys and values.
  std::map<std::string, std::map<std::string, std::string>> configuration;
  friend bool operator==(const DatFile&, const DatFile&) = default;
};

/// Whether a file is one by its name: it ends in .dat (any case).
[[nodiscard]] bool is_dat_name(const std::string& path);

/// Reads a whole file. Throws Error{bad_input} with the fault and its byte offset: another
/// magic or version, a count or length that the file is too short for, a name twice, extents that
/// do not go with the data, a segment that is not positive, bytes after the end.
[[nodiscard]] DatFile read_dat(std::span<const std::byte> bytes);

/// Reads a file by name; errors begin with its name. Throws Error{io} if it cannot be read.
[[nodiscard]] DatFile read_dat_file(const std::string& path);

/// A number as a file has it. Throws Error{bad_input} with the name if it needs more than 32 bits.
[[nodiscard]] std::int32_t narrow(std::int64_t value, std::string_view name);

/// What read_dat reads. Throws Error{bad_input} if a segment, an extent or the number of values of
/// an array needs more than 32 bits.
[[nodiscard]] std::vector<std::byte> write_dat(const DatFile& file);

/// The content for people, a line for each name; long arrays are cut off.
[[nodiscard]] std::string print_dat(const DatFile& file);

}  // namespace blockyard::aces::dat
