// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <new>

#include "blockyard/base/error.h"
#include "blockyard/store/data_file.h"
#include "blockyard/store/detail/hdf5.h"
#include "blockyard/store/posix.h"

namespace blockyard::store {

using base::Errc;
using base::Error;

namespace {

/// Deflate makes at most so much of a byte.
constexpr double most_inflation = 1032;

std::vector<std::int64_t> lengths_of(hid_t set) {
  const hdf5::SpaceId space(H5Dget_space(set), "read a dataset");
  const int order = H5Sget_simple_extent_ndims(space.get());
  if (order < 0) hdf5::fail("read a dataset");
  std::vector<hsize_t> dims(static_cast<std::size_t>(order));
  if (order > 0)
    hdf5::check(static_cast<herr_t>(
                    H5Sget_simple_extent_dims(space.get(), dims.data(), nullptr) < 0 ? -1 : 0),
                "read a dataset");
  return {dims.begin(), dims.end()};
}

/// A length that a damaged file claims is refused before memory is asked for.
void check_storage(hid_t set, std::span<const std::int64_t> lengths, double file_bytes) {
  const hdf5::TypeId type(H5Dget_type(set), "read a dataset");
  double bytes = static_cast<double>(H5Tget_size(type.get()));
  for (const std::int64_t length : lengths) bytes *= static_cast<double>(length);
  if (bytes > file_bytes * most_inflation)
    throw Error(Errc::bad_input, "it claims to be longer than the file: the file is damaged");
}

/// A whole dataset with `type` in memory.
void read_all(hid_t set, hid_t type, void* values, bool is_empty) {
  if (is_empty) return;
  hdf5::check(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "read a dataset");
}

}  // namespace

struct DataReader::State {
  /// What `read` returns; its errors name file and object.
  template <class Read>
  auto reading(const std::string& object, const Read& read) const {
    try {
      return read();
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}: {}: {}", path.string(),
                                            object.empty() ? "the file" : object, error.what()));
    } catch (const std::bad_alloc&) {
      throw Error(Errc::no_memory,
                  fmt::format("{}: {}: out of memory: the file is damaged, or too large "
                              "for this machine",
                              path.string(), object.empty() ? "the file" : object));
    }
  }

  [[nodiscard]] bool has(const std::string& object) const {
    for (std::size_t at = object.find('/'); at != std::string::npos; at = object.find('/', at + 1))
      if (at > 0 && H5Lexists(file.get(), object.substr(0, at).c_str(), H5P_DEFAULT) <= 0)
        return false;
    return H5Lexists(file.get(), object.c_str(), H5P_DEFAULT) > 0;
  }

  [[nodiscard]] hdf5::SetId open(const std::string& set) const {
    if (!has(set)) throw Error(Errc::bad_input, "the dataset is missing");
    return {H5Dopen2(file.get(), set.c_str(), H5P_DEFAULT), "open it as a dataset"};
  }

  /// The dataset, known to have these lengths and as much storage.
  [[nodiscard]] hdf5::SetId open(const std::string& name,
                                 std::span<const std::int64_t> expected) const {
    hdf5::SetId set = open(name);
    const auto found = lengths_of(set.get());
    if (!std::ranges::equal(found, expected))
      throw Error(Errc::bad_input,
                  fmt::format("it has {} values, where {} are expected", fmt::join(found, " x "),
                              fmt::join(expected, " x ")));
    return set;
  }

  [[nodiscard]] hdf5::Id<H5Oclose> object(const std::string& name) const {
    if (!name.empty() && !has(name)) throw Error(Errc::bad_input, "it is missing");
    return {H5Oopen(file.get(), name.empty() ? "/" : name.c_str(), H5P_DEFAULT), "open it"};
  }

  hdf5::Silence silence;
  std::filesystem::path path;
  double file_bytes = 0;
  hdf5::FileId file;
};

DataReader::DataReader(const std::filesystem::path& path) : state_(std::make_unique<State>()) {
  state_->path = path;
  // Says why it cannot be opened, in plain words.
  state_->file_bytes = static_cast<double>(PosixStore().open(path, OpenMode::read)->size());
  if (H5Fis_hdf5(path.c_str()) <= 0)
    throw Error(Errc::bad_input, fmt::format("{} is not an HDF5 file", path.string()));
  state_->file = hdf5::FileId(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
                              fmt::format("read {}", path.string()));
}

DataReader::~DataReader() = default;

bool DataReader::has(const std::string& object) const { return state_->has(object); }

std::vector<std::string> DataReader::names_in(const std::string& group) const {
  return state_->reading(group, [&] {
    const auto object = state_->object(group);
    return hdf5::names_in(object.get());
  });
}

std::vector<std::int64_t> DataReader::lengths(const std::string& set) const {
  return state_->reading(set, [&] { return lengths_of(state_->open(set).get()); });
}

bool DataReader::is_complex(const std::string& set) const {
  return state_->reading(set, [&] { return hdf5::is_complex(state_->open(set).get()); });
}

bool DataReader::has_attribute(const std::string& object, const std::string& name) const {
  return state_->reading(object,
                         [&] { return H5Aexists(state_->object(object).get(), name.c_str()) > 0; });
}

std::string DataReader::text_attribute(const std::string& object, const std::string& name) const {
  return state_->reading(object, [&] {
    return hdf5::read_text_attribute(state_->object(object).get(), name.c_str());
  });
}

std::vector<double> DataReader::attribute(const std::string& object, const std::string& name,
                                          std::size_t count) const {
  return state_->reading(object, [&] {
    const auto of = state_->object(object);
    if (H5Aexists(of.get(), name.c_str()) <= 0)
      throw Error(Errc::bad_input, fmt::format("the attribute '{}' is missing", name));
    const hdf5::AttributeId attribute(H5Aopen(of.get(), name.c_str(), H5P_DEFAULT), "read it");
    const hdf5::SpaceId space(H5Aget_space(attribute.get()), "read an attribute");
    if (H5Sget_simple_extent_npoints(space.get()) != static_cast<hssize_t>(count))
      throw Error(Errc::bad_input, fmt::format("the attribute '{}' is not {} number{}", name, count,
                                               count == 1 ? "" : "s"));
    std::vector<double> values(count);
    hdf5::check(H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, values.data()),
                fmt::format("read the attribute '{}'", name));
    return values;
  });
}

std::vector<std::int64_t> DataReader::integers(const std::string& set,
                                               std::span<const std::int64_t> lengths) const {
  return state_->reading(set, [&] {
    const auto id = state_->open(set, lengths);
    const hdf5::TypeId type(H5Dget_type(id.get()), "read a dataset");
    if (H5Tget_class(type.get()) != H5T_INTEGER)
      throw Error(Errc::bad_input, "it does not consist of integers");
    std::size_t count = 1;
    for (const std::int64_t length : lengths) count *= static_cast<std::size_t>(length);
    std::vector<std::int64_t> values(count);
    read_all(id.get(), H5T_NATIVE_INT64, values.data(), values.empty());
    return values;
  });
}

std::vector<double> DataReader::doubles(const std::string& set,
                                        std::span<const std::int64_t> lengths) const {
  return state_->reading(set, [&] {
    const auto id = state_->open(set, lengths);
    if (hdf5::is_complex(id.get()))
      throw Error(Errc::bad_input, "it is complex, where real values are expected");
    std::size_t count = 1;
    for (const std::int64_t length : lengths) count *= static_cast<std::size_t>(length);
    std::vector<double> values(count);
    read_all(id.get(), H5T_NATIVE_DOUBLE, values.data(), values.empty());
    return values;
  });
}

std::vector<std::complex<double>> DataReader::complexes(
    const std::string& set, std::span<const std::int64_t> lengths) const {
  if (!is_complex(set)) {
    const auto real = doubles(set, lengths);
    return {real.begin(), real.end()};
  }
  return state_->reading(set, [&] {
    const auto id = state_->open(set, lengths);
    std::size_t count = 1;
    for (const std::int64_t length : lengths) count *= static_cast<std::size_t>(length);
    std::vector<std::complex<double>> values(count);
    const auto type = hdf5::element_type(true, false, hdf5::Place::memory);
    read_all(id.get(), type.get(), values.data(), values.empty());
    return values;
  });
}

std::vector<double> DataReader::member(const std::string& set, const std::string& name) const {
  return state_->reading(set, [&] {
    const auto id = state_->open(set);
    const auto lengths = lengths_of(id.get());
    const hdf5::TypeId stored(H5Dget_type(id.get()), "read a dataset");
    if (lengths.size() != 1 || H5Tget_class(stored.get()) != H5T_COMPOUND ||
        H5Tget_member_index(stored.get(), name.c_str()) < 0)
      throw Error(Errc::bad_input,
                  fmt::format("it is not a list of compounds with a member '{}'", name));
    check_storage(id.get(), lengths, state_->file_bytes);
    const hdf5::TypeId type(H5Tcreate(H5T_COMPOUND, sizeof(double)), "make a type");
    hdf5::check(H5Tinsert(type.get(), name.c_str(), 0, H5T_NATIVE_DOUBLE), "make a type");
    std::vector<double> values(static_cast<std::size_t>(lengths[0]));
    read_all(id.get(), type.get(), values.data(), values.empty());
    return values;
  });
}

}  // namespace blockyard::store
