// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// HDF5 files of arrays by name, with elements of any type, written and read by boxes. Lengths in
/// the order of HDF5: the last index is the fastest. One thread of the process at a time.
namespace blockyard::store {

/// What the elements of an array are. Complex ones are the compounds of r and i that h5py knows.
struct ElementKind {
  enum class Number : std::uint8_t { i32, i64, f32, f64, c64, c128, opaque };
  Number number = Number::f64;
  std::size_t bytes = 8;
  friend bool operator==(const ElementKind&, const ElementKind&) = default;
};

struct StoredArray {
  std::vector<std::int64_t> lengths;
  ElementKind kind;
  friend bool operator==(const StoredArray&, const StoredArray&) = default;
};

/// A box: first[d] .. first[d] + count[d] - 1.
struct StoredBox {
  std::vector<std::int64_t> first, count;
};

/// Writes a new file, which has its name only once finish() returned. Throws Error{io}.
class ArrayWriter {
 public:
  explicit ArrayWriter(const std::filesystem::path& path);
  ~ArrayWriter();
  ArrayWriter(const ArrayWriter&) = delete;
  ArrayWriter& operator=(const ArrayWriter&) = delete;

  /// An array of zeros. Throws Error{bad_input} if there is one of that name.
  void begin(const std::string& name, const StoredArray& array);
  void write(const std::string& name, const StoredBox& box, std::span<const std::byte> values);
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Errors name the file and the array: bad_input for missing data, io for unreadable data.
class ArrayReader {
 public:
  explicit ArrayReader(const std::filesystem::path& path);
  ~ArrayReader();
  ArrayReader(const ArrayReader&) = delete;
  ArrayReader& operator=(const ArrayReader&) = delete;

  /// In the order of the alphabet.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] StoredArray describe(const std::string& name) const;
  void read(const std::string& name, const StoredBox& box, std::span<std::byte> values) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace blockyard::store
