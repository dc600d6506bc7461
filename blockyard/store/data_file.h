// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// HDF5 files whose datasets and attributes have names of their own, as other programs write and
/// read them. Lengths in the order of HDF5: the last index is the fastest. Objects are named by
/// their path, attributes by the path of their object and a name ("" is the file itself).
/// One thread of the process at a time.
namespace blockyard::store {

/// Every error names the file and the object: bad_input for unexpected contents, io for what
/// cannot be read.
class DataReader {
 public:
  explicit DataReader(const std::filesystem::path& path);
  ~DataReader();
  DataReader(const DataReader&) = delete;
  DataReader& operator=(const DataReader&) = delete;

  [[nodiscard]] bool has(const std::string& object) const;
  /// The names in a group, in the order of the alphabet.
  [[nodiscard]] std::vector<std::string> names_in(const std::string& group) const;
  [[nodiscard]] std::vector<std::int64_t> lengths(const std::string& set) const;
  [[nodiscard]] bool is_complex(const std::string& set) const;

  [[nodiscard]] bool has_attribute(const std::string& object, const std::string& name) const;
  [[nodiscard]] std::string text_attribute(const std::string& object,
                                           const std::string& name) const;
  /// Exactly this many numbers.
  [[nodiscard]] std::vector<double> attribute(const std::string& object, const std::string& name,
                                              std::size_t count) const;

  /// All values of a dataset that has exactly these lengths. Integers may be read as doubles, not
  /// the other way. As complex: real ones too.
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& set,
                                                   std::span<const std::int64_t> lengths) const;
  [[nodiscard]] std::vector<double> doubles(const std::string& set,
                                            std::span<const std::int64_t> lengths) const;
  [[nodiscard]] std::vector<std::complex<double>> complexes(
      const std::string& set, std::span<const std::int64_t> lengths) const;
  /// One member of a list of compounds.
  [[nodiscard]] std::vector<double> member(const std::string& set, const std::string& name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes a new file, which has its name only once finish() returned. Throws Error{io}.
class DataWriter {
 public:
  explicit DataWriter(const std::filesystem::path& path);
  ~DataWriter();
  DataWriter(const DataWriter&) = delete;
  DataWriter& operator=(const DataWriter&) = delete;

  void make_group(const std::string& group);
  /// A dataset that write() fills; groups on its path are made.
  void begin(const std::string& set, std::span<const std::int64_t> lengths, bool is_complex);
  /// The box of a dataset from `first` on, `count` long in each index. Values as begin() said.
  void write(const std::string& set, std::span<const std::int64_t> first,
             std::span<const std::int64_t> count, std::span<const double> values);
  void write(const std::string& set, std::span<const std::int64_t> first,
             std::span<const std::int64_t> count, std::span<const std::complex<double>> values);
  /// A whole dataset.
  void write_all(const std::string& set, std::span<const std::int64_t> lengths,
                 std::span<const std::complex<double>> values);
  void write_all(const std::string& set, std::span<const std::int64_t> lengths,
                 std::span<const double> values);
  void write_all(const std::string& set, std::span<const std::int64_t> lengths,
                 std::span<const std::int64_t> values);

  /// A dataset whose data is in other files, transparently for readers: the part at `first` of it,
  /// `count` long, is in `set` of `file`, from `first_there` on. Paths are relative to the folder
  /// of this file. Sources do not overlap; what no source has reads as zero.
  struct Source {
    std::string file;
    std::string set;
    std::vector<std::int64_t> lengths;  ///< of the whole set there
    std::vector<std::int64_t> first_there;
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> count;
  };
  void write_virtual(const std::string& set, std::span<const std::int64_t> lengths, bool is_complex,
                     std::span<const Source> sources);

  void write_attribute(const std::string& object, const std::string& name, const std::string& text);
  void write_attribute(const std::string& object, const std::string& name,
                       std::span<const double> values);
  void write_attribute(const std::string& object, const std::string& name,
                       std::span<const std::int64_t> values);

  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace blockyard::store
