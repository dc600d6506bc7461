// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/array_file.h"

#include <fmt/format.h>

#include <map>

#include "blockyard/base/error.h"
#include "blockyard/store/detail/hdf5.h"
#include "blockyard/store/detail/seal.h"
#include "blockyard/store/whole_file.h"

namespace blockyard::store {
namespace {

using base::Errc;
using base::Error;
using Number = ElementKind::Number;

constexpr const char* format_attribute = "blockyard arrays";

/// The type of elements, in memory or in the file.
hdf5::TypeId type_of(const ElementKind& kind, hdf5::Place place) {
  const bool is_in_file = place == hdf5::Place::file;
  switch (kind.number) {
    case Number::i32:
      return {H5Tcopy(is_in_file ? H5T_STD_I32LE : H5T_NATIVE_INT32), "make a type"};
    case Number::i64:
      return {H5Tcopy(is_in_file ? H5T_STD_I64LE : H5T_NATIVE_INT64), "make a type"};
    case Number::f32:
      return hdf5::element_type(false, true, place);
    case Number::f64:
      return hdf5::element_type(false, false, place);
    case Number::c64:
      return hdf5::element_type(true, true, place);
    case Number::c128:
      return hdf5::element_type(true, false, place);
    case Number::opaque:
      break;
  }
  return {H5Tcreate(H5T_OPAQUE, kind.bytes), "make a type"};
}

ElementKind kind_of(hid_t set) {
  const hdf5::TypeId type(H5Dget_type(set), "read a dataset");
  const std::size_t bytes = H5Tget_size(type.get());
  const bool is_short = bytes == sizeof(float);
  switch (H5Tget_class(type.get())) {
    case H5T_INTEGER:
      return {is_short ? Number::i32 : Number::i64, bytes};
    case H5T_FLOAT:
      return {is_short ? Number::f32 : Number::f64, bytes};
    case H5T_COMPOUND:
      return {bytes == sizeof(double) ? Number::c64 : Number::c128, bytes};
    default:
      return {Number::opaque, bytes};
  }
}

/// A dataspace with a box selected, and that of its values.
struct Selected {
  hdf5::SpaceId in_file, in_memory;

  Selected(hid_t set, const StoredBox& box, std::string_view what) {
    const std::vector<hsize_t> first(box.first.begin(), box.first.end());
    const std::vector<hsize_t> count(box.count.begin(), box.count.end());
    in_file = hdf5::SpaceId(H5Dget_space(set), what);
    hdf5::check(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, first.data(), nullptr,
                                    count.data(), nullptr),
                what);
    in_memory = hdf5::SpaceId(
        H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), what);
  }
};

}  // namespace

struct ArrayWriter::State {
  explicit State(const std::filesystem::path& path)
      : replacement(path),
        what(fmt::format("write {}", path.string())),
        file(replacement.temporary(), what) {
    constexpr std::int64_t version = 1;
    hdf5::write_attribute(file.get(), format_attribute, std::span(&version, 1));
  }

  hdf5::Silence silence;
  Replacement replacement;
  std::string what;
  std::map<std::string, std::pair<hdf5::SetId, ElementKind>> sets;
  hdf5::NewFile file;  // gives up before its datasets close, so that they can
};

ArrayWriter::ArrayWriter(const std::filesystem::path& path)
    : state_(std::make_unique<State>(path)) {}
ArrayWriter::~ArrayWriter() = default;

void ArrayWriter::begin(const std::string& name, const StoredArray& array) {
  if (state_->sets.contains(name))
    throw Error(Errc::bad_input, fmt::format("two arrays have the name \"{}\"", name));
  const std::vector<hsize_t> dims(array.lengths.begin(), array.lengths.end());
  const hdf5::SpaceId space(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
                            state_->what);
  const hdf5::TypeId type = type_of(array.kind, hdf5::Place::file);
  state_->sets[name] = {
      hdf5::SetId(H5Dcreate2(state_->file.get(), hdf5::name_of_label(name).c_str(), type.get(),
                             space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                  state_->what),
      array.kind};
}

void ArrayWriter::write(const std::string& name, const StoredBox& box,
                        std::span<const std::byte> values) {
  const auto& [set, kind] = state_->sets.at(name);
  const Selected selected(set.get(), box, state_->what);
  const hdf5::TypeId type = type_of(kind, hdf5::Place::memory);
  hdf5::check(H5Dwrite(set.get(), type.get(), selected.in_memory.get(), selected.in_file.get(),
                       H5P_DEFAULT, values.data()),
              state_->what);
}

void ArrayWriter::finish() {
  // Closing hides errors, so all is flushed while they can be seen.
  state_->file.flush(state_->what);
  state_->sets.clear();
  state_->file.close();
  append_seal(state_->replacement.temporary());
  state_->replacement.commit();
}

struct ArrayReader::State {
  explicit State(const std::filesystem::path& name) : path(name) {
    check_seal(path);
    file = hdf5::FileId(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
                        fmt::format("open {}", path.string()));
  }

  [[nodiscard]] hdf5::SetId set(const std::string& name) const {
    const std::string link = hdf5::name_of_label(name);
    if (H5Lexists(file.get(), link.c_str(), H5P_DEFAULT) <= 0)
      throw Error(Errc::bad_input, fmt::format("{} has no array \"{}\"", path.string(), name));
    return {H5Dopen2(file.get(), link.c_str(), H5P_DEFAULT),
            fmt::format("read \"{}\" of {}", name, path.string())};
  }

  hdf5::Silence silence;
  std::filesystem::path path;
  hdf5::FileId file;
};

ArrayReader::ArrayReader(const std::filesystem::path& path)
    : state_(std::make_unique<State>(path)) {}
ArrayReader::~ArrayReader() = default;

std::vector<std::string> ArrayReader::names() const {
  std::vector<std::string> found;
  for (const std::string& name : hdf5::names_in(state_->file.get())) try {
      found.push_back(hdf5::label_of_name(name));
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}: {}", state_->path.string(), error.what()));
    }
  return found;
}

StoredArray ArrayReader::describe(const std::string& name) const {
  const hdf5::SetId set = state_->set(name);
  const hdf5::SpaceId space(H5Dget_space(set.get()), "read a dataset");
  std::vector<hsize_t> dims(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space.get())));
  H5Sget_simple_extent_dims(space.get(), dims.data(), nullptr);
  return {{dims.begin(), dims.end()}, kind_of(set.get())};
}

void ArrayReader::read(const std::string& name, const StoredBox& box,
                       std::span<std::byte> values) const {
  const hdf5::SetId set = state_->set(name);
  const std::string what = fmt::format("read \"{}\" of {}", name, state_->path.string());
  const Selected selected(set.get(), box, what);
  const hdf5::TypeId type = type_of(kind_of(set.get()), hdf5::Place::memory);
  hdf5::check(H5Dread(set.get(), type.get(), selected.in_memory.get(), selected.in_file.get(),
                      H5P_DEFAULT, values.data()),
              what);
}

}  // namespace blockyard::store
