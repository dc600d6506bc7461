// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blockyard/base/integer.h"

namespace blockyard::store {

/// The element type of an array: f64 by default. Complex ones are a real and an
/// imaginary part.
struct Elements {
  bool is_complex = false;
  bool is_single = false;
  [[nodiscard]] std::size_t bytes() const noexcept {
    return (is_complex ? 2 : 1) * (is_single ? sizeof(float) : sizeof(double));
  }
  friend bool operator==(const Elements&, const Elements&) = default;
};

/// The description of an array in a file of persistent arrays.
struct PersistedArray {
  std::string kind;                                 ///< "static", "distributed", "served"
  std::vector<std::vector<base::Extent>> segments;  ///< extents of the segments of each index
  Elements elements = {};
  friend bool operator==(const PersistedArray&, const PersistedArray&) = default;
};

/// The place of a piece of an array: the first element of each index, from 0, and the lengths.
struct Piece {
  std::span<const base::Extent> first;
  std::span<const base::Extent> extents;
};

/// Writes arrays and scalars, each under a label, to an HDF5 file that other programs read
/// (h5py, Julia, MATLAB): docs/disk.md has the layout. Our first index is the fastest, the last of
/// HDF5 is: a dataset lists our indexes in reverse.
/// The file gets its name only in finish(); before, and after an error, there is what
/// was there. One thread, and no other thread of the process uses HDF5 meanwhile.
/// Throws Error{io} if the disk fails, Error{bad_input} for a label or a piece that cannot be.
class PersistWriter {
 public:
  PersistWriter(std::filesystem::path path, std::string_view blockyard_version);
  ~PersistWriter();
  PersistWriter(const PersistWriter&) = delete;
  PersistWriter& operator=(const PersistWriter&) = delete;

  /// An array of zeros in which no block exists; at least of order 1.
  void begin_array(const std::string& label, const PersistedArray& array);
  /// `values` first index fastest, as `elements`: what the array has, or the same with another
  /// precision. The blocks that the piece touches exist from now on.
  void write_block(const std::string& label, const Piece& piece, std::span<const std::byte> values,
                   Elements elements);
  void write_block(const std::string& label, const Piece& piece, std::span<const double> values) {
    write_block(label, piece, std::as_bytes(values), {});
  }
  void write_scalar(const std::string& label, std::complex<double> value, bool is_complex = false);
  /// Returns when the whole file is on disk under its name. Nothing may be written afterwards.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads what PersistWriter wrote. The same rule of threads, the same errors.
class PersistReader {
 public:
  /// Throws Error{bad_input} if it is not a file of persistent arrays.
  explicit PersistReader(const std::filesystem::path& path);
  ~PersistReader();
  PersistReader(const PersistReader&) = delete;
  PersistReader& operator=(const PersistReader&) = delete;

  /// In the order of the alphabet.
  [[nodiscard]] std::vector<std::string> arrays() const;
  [[nodiscard]] std::vector<std::string> scalars() const;
  [[nodiscard]] PersistedArray describe(const std::string& label) const;
  /// For each block of the grid of segments, first index fastest: 1 if it exists, else 0.
  [[nodiscard]] std::vector<std::uint8_t> blocks(const std::string& label) const;
  /// As `elements`, complex if the array is.
  void read_block(const std::string& label, const Piece& piece, std::span<std::byte> values,
                  Elements elements) const;
  void read_block(const std::string& label, const Piece& piece, std::span<double> values) const {
    read_block(label, piece, std::as_writable_bytes(values), {});
  }
  /// The value, and whether it is a complex one.
  [[nodiscard]] std::pair<std::complex<double>, bool> read_scalar(const std::string& label) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace blockyard::store
