// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/store/data_file.h"
#include "blockyard/store/detail/hdf5.h"
#include "blockyard/store/whole_file.h"

namespace blockyard::store {

struct DataWriter::State {
  explicit State(const std::filesystem::path& path)
      : replacement(path),
        file(replacement.temporary(), fmt::format("create {}", path.string())),
        what(fmt::format("write {}", path.string())) {}

  /// With the groups on the way to it.
  void make_set(const std::string& name, std::span<const std::int64_t> lengths, hid_t type,
                hid_t creation = H5P_DEFAULT) {
    const hdf5::SpaceId space =
        lengths.empty() ? hdf5::SpaceId(H5Screate(H5S_SCALAR), what) : make_space(lengths);
    const hdf5::ListId links(H5Pcreate(H5P_LINK_CREATE), what);
    hdf5::check(H5Pset_create_intermediate_group(links.get(), 1), what);
    sets[name] = hdf5::SetId(
        H5Dcreate2(file.get(), name.c_str(), type, space.get(), links.get(), creation, H5P_DEFAULT),
        what);
  }

  [[nodiscard]] hdf5::SpaceId make_space(std::span<const std::int64_t> lengths) const {
    const std::vector<hsize_t> dims(lengths.begin(), lengths.end());
    return {H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr), what};
  }

  void select(const hdf5::SpaceId& space, std::span<const std::int64_t> first,
              std::span<const std::int64_t> count) const {
    const std::vector<hsize_t> start(first.begin(), first.end());
    const std::vector<hsize_t> length(count.begin(), count.end());
    hdf5::check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr,
                                    length.data(), nullptr),
                what);
  }

  void write_all(const std::string& name, std::span<const std::int64_t> lengths, hid_t in_file,
                 hid_t in_memory, const void* values) {
    make_set(name, lengths, in_file);
    for (const std::int64_t length : lengths)
      if (length == 0) return;
    hdf5::check(H5Dwrite(sets.at(name).get(), in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values),
                what);
  }

  void write_box(const std::string& name, std::span<const std::int64_t> first,
                 std::span<const std::int64_t> count, hid_t in_memory, const void* values) {
    const hdf5::SetId& set = sets.at(name);
    const hdf5::SpaceId in_file(H5Dget_space(set.get()), what);
    select(in_file, first, count);
    const hdf5::SpaceId memory = make_space(count);
    hdf5::check(H5Dwrite(set.get(), in_memory, memory.get(), in_file.get(), H5P_DEFAULT, values),
                what);
  }

  [[nodiscard]] hdf5::Id<H5Oclose> object(const std::string& name) const {
    return {H5Oopen(file.get(), name.empty() ? "/" : name.c_str(), H5P_DEFAULT), what};
  }

  hdf5::Silence silence;
  Replacement replacement;
  std::map<std::string, hdf5::SetId> sets;
  hdf5::NewFile file;  // gives up before its datasets close, so that they can
  std::string what;
};

DataWriter::DataWriter(const std::filesystem::path& path) : state_(std::make_unique<State>(path)) {}
DataWriter::~DataWriter() = default;

void DataWriter::make_group(const std::string& group) {
  const hdf5::GroupId made(
      H5Gcreate2(state_->file.get(), group.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      state_->what);
}

void DataWriter::begin(const std::string& set, std::span<const std::int64_t> lengths,
                       bool is_complex) {
  const auto type = hdf5::element_type(is_complex, false, hdf5::Place::file);
  state_->make_set(set, lengths, type.get());
}

void DataWriter::write(const std::string& set, std::span<const std::int64_t> first,
                       std::span<const std::int64_t> count, std::span<const double> values) {
  state_->write_box(set, first, count, H5T_NATIVE_DOUBLE, values.data());
}

void DataWriter::write(const std::string& set, std::span<const std::int64_t> first,
                       std::span<const std::int64_t> count,
                       std::span<const std::complex<double>> values) {
  const auto type = hdf5::element_type(true, false, hdf5::Place::memory);
  state_->write_box(set, first, count, type.get(), values.data());
}

void DataWriter::write_all(const std::string& set, std::span<const std::int64_t> lengths,
                           std::span<const std::complex<double>> values) {
  const auto in_file = hdf5::element_type(true, false, hdf5::Place::file);
  const auto in_memory = hdf5::element_type(true, false, hdf5::Place::memory);
  state_->write_all(set, lengths, in_file.get(), in_memory.get(), values.data());
}

void DataWriter::write_all(const std::string& set, std::span<const std::int64_t> lengths,
                           std::span<const double> values) {
  state_->write_all(set, lengths, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.data());
}

void DataWriter::write_all(const std::string& set, std::span<const std::int64_t> lengths,
                           std::span<const std::int64_t> values) {
  state_->write_all(set, lengths, H5T_STD_I64LE, H5T_NATIVE_INT64, values.data());
}

void DataWriter::write_virtual(const std::string& set, std::span<const std::int64_t> lengths,
                               bool is_complex, std::span<const Source> sources) {
  const hdf5::ListId creation(H5Pcreate(H5P_DATASET_CREATE), state_->what);
  for (const Source& source : sources) {
    const hdf5::SpaceId there = state_->make_space(source.lengths);
    const hdf5::SpaceId here = state_->make_space(lengths);
    state_->select(there, source.first_there, source.count);
    state_->select(here, source.first, source.count);
    hdf5::check(H5Pset_virtual(creation.get(), here.get(), source.file.c_str(), source.set.c_str(),
                               there.get()),
                state_->what);
  }
  const auto type = hdf5::element_type(is_complex, false, hdf5::Place::file);
  state_->make_set(set, lengths, type.get(), creation.get());
}

void DataWriter::write_attribute(const std::string& object, const std::string& name,
                                 const std::string& text) {
  hdf5::write_attribute(state_->object(object).get(), name.c_str(), text);
}

void DataWriter::write_attribute(const std::string& object, const std::string& name,
                                 std::span<const double> values) {
  const auto of = state_->object(object);
  const hsize_t count = values.size();
  const hdf5::SpaceId space(
      count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), state_->what);
  const hdf5::AttributeId attribute(
      H5Acreate2(of.get(), name.c_str(), H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT),
      state_->what);
  hdf5::check(H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, values.data()), state_->what);
}

void DataWriter::write_attribute(const std::string& object, const std::string& name,
                                 std::span<const std::int64_t> values) {
  hdf5::write_attribute(state_->object(object).get(), name.c_str(), values);
}

void DataWriter::finish() {
  // Closing hides errors, so all is flushed while they can be seen.
  for (const auto& [name, set] : state_->sets) hdf5::check(H5Dflush(set.get()), state_->what);
  state_->file.flush(state_->what);
  state_->sets.clear();
  state_->file.close();
  state_->replacement.commit();
}

}  // namespace blockyard::store
