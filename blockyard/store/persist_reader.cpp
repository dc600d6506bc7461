// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/store/detail/persist_layout.h"
#include "blockyard/store/detail/seal.h"
#include "blockyard/store/persist_file.h"

namespace blockyard::store {

using base::Errc;
using base::Error;

struct PersistReader::State {
  /// What `read` returns; its errors name the file.
  template <class Read>
  auto reading(const Read& read) const {
    try {
      return read();
    } catch (const Error& error) {
      const std::string_view text = error.what();
      if (text.find(path.string()) != std::string_view::npos) throw;
      throw Error(error.code(), fmt::format("{}: {}", path.string(), text));
    }
  }

  /// Throws Error{bad_input} for an unknown label.
  [[nodiscard]] hdf5::SetId open(const std::string& name, const std::string& label) const {
    hdf5::SetId set;
    if (H5Lexists(file.get(), name.c_str(), H5P_DEFAULT) <= 0)
      throw Error(Errc::bad_input,
                  fmt::format("{} holds nothing under the label '{}'", path.string(), label));
    return {H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT),
            fmt::format("read '{}' of {}", label, path.string())};
  }

  [[nodiscard]] std::vector<std::string> labels_in(const char* group) const {
    const hdf5::GroupId id(H5Gopen2(file.get(), group, H5P_DEFAULT),
                           fmt::format("read {}", path.string()));
    auto names = hdf5::names_in(id.get());
    for (std::string& name : names) name = hdf5::label_of_name(name);
    return names;
  }

  [[nodiscard]] PersistedArray describe(const std::string& label) const;
  [[nodiscard]] std::vector<std::uint8_t> blocks(const std::string& label) const;

  hdf5::Silence silence;
  std::filesystem::path path;
  hdf5::FileId file;
};

PersistReader::PersistReader(const std::filesystem::path& path)
    : state_(std::make_unique<State>()) {
  state_->path = path;
  check_seal(path);  // also says in plain words why it cannot be opened
  if (H5Fis_hdf5(path.c_str()) <= 0)
    throw Error(Errc::bad_input, fmt::format("{} is not an HDF5 file", path.string()));
  state_->file = hdf5::FileId(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
                              fmt::format("read {}", path.string()));
  const hid_t file = state_->file.get();
  if (H5Aexists(file, layout::version_attribute) <= 0)
    throw Error(Errc::bad_input,
                fmt::format("{} is not a file of persistent arrays of blockyard", path.string()));
  const auto version =
      state_->reading([&] { return hdf5::read_attribute(file, layout::version_attribute); });
  if (version.size() != 1 || version[0] < layout::oldest_version ||
      version[0] > layout::format_version)
    throw Error(Errc::bad_input,
                fmt::format("{} has format {}; this program reads formats {} to {}", path.string(),
                            version.empty() ? 0 : version[0], layout::oldest_version,
                            layout::format_version));
}

PersistReader::~PersistReader() = default;

std::vector<std::string> PersistReader::arrays() const {
  return state_->reading([&] { return state_->labels_in("arrays"); });
}

std::vector<std::string> PersistReader::scalars() const {
  return state_->reading([&] { return state_->labels_in("scalars"); });
}

PersistedArray PersistReader::describe(const std::string& label) const {
  return state_->reading([&] { return state_->describe(label); });
}

PersistedArray PersistReader::State::describe(const std::string& label) const {
  const auto set = open(layout::array_name(label), label);
  PersistedArray array;
  array.kind = hdf5::read_text_attribute(set.get(), layout::kind_attribute);
  array.elements = {hdf5::is_complex(set.get()), hdf5::is_single(set.get())};
  const hdf5::SpaceId space(H5Dget_space(set.get()), "read a dataset");
  const int order = H5Sget_simple_extent_ndims(space.get());
  for (int index = 0; index < order; ++index)
    array.segments.push_back(hdf5::read_attribute(
        set.get(), layout::segments_attribute(static_cast<std::size_t>(index)).c_str()));
  std::vector<hsize_t> dims(array.segments.size());
  hdf5::check(H5Sget_simple_extent_dims(space.get(), dims.data(), nullptr), "read a dataset");
  layout::check_array(label, array);
  if (dims != layout::dims_of(array))
    throw Error(Errc::bad_input,
                fmt::format("the segments of '{}' in {} do not add up to its lengths", label,
                            path.string()));
  return array;
}

std::vector<std::uint8_t> PersistReader::blocks(const std::string& label) const {
  return state_->reading([&] { return state_->blocks(label); });
}

std::vector<std::uint8_t> PersistReader::State::blocks(const std::string& label) const {
  const auto set = open(layout::blocks_name(label), label);
  const std::string what = fmt::format("read the blocks of '{}'", label);
  const hdf5::SpaceId space(H5Dget_space(set.get()), what);
  const auto count = H5Sget_simple_extent_npoints(space.get());
  if (count < 0) hdf5::fail(what);
  std::size_t expected = 1;
  for (const auto& segments : describe(label).segments) expected *= segments.size();
  if (static_cast<std::size_t>(count) != expected)
    throw Error(Errc::bad_input, fmt::format("'{}' in {} has {} blocks, but {} are listed", label,
                                             path.string(), expected, count));
  std::vector<std::uint8_t> blocks(expected);
  hdf5::check(H5Dread(set.get(), H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, blocks.data()),
              what);
  return blocks;
}

void PersistReader::read_block(const std::string& label, const Piece& piece,
                               std::span<std::byte> values, Elements elements) const {
  state_->reading([&] {
    const auto set = state_->open(layout::array_name(label), label);
    if (values.empty() && layout::is_empty(piece)) return;
    const auto [in_file, in_memory] =
        layout::select(set.get(), label, piece, values.size() / elements.bytes());
    const auto type =
        hdf5::element_type(elements.is_complex, elements.is_single, hdf5::Place::memory);
    hdf5::check(
        H5Dread(set.get(), type.get(), in_memory.get(), in_file.get(), H5P_DEFAULT, values.data()),
        fmt::format("read the persistent array '{}'", label));
  });
}

std::pair<std::complex<double>, bool> PersistReader::read_scalar(const std::string& label) const {
  return state_->reading([&] {
    const auto set = state_->open(layout::scalar_name(label), label);
    const std::string what = fmt::format("read the persistent scalar '{}'", label);
    const hdf5::SpaceId space(H5Dget_space(set.get()), what);
    const auto count = H5Sget_simple_extent_npoints(space.get());
    if (count < 0) hdf5::fail(what);
    if (count != 1)
      throw Error(Errc::bad_input, fmt::format("the persistent scalar '{}' in {} has {} values",
                                               label, state_->path.string(), count));
    const bool is_complex = hdf5::is_complex(set.get());
    const auto type = hdf5::element_type(is_complex, false, hdf5::Place::memory);
    std::complex<double> value = 0;  // a real one is its begin
    hdf5::check(H5Dread(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &value), what);
    return std::pair(value, is_complex);
  });
}

}  // namespace blockyard::store
