// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/detail/persist_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "blockyard/base/error.h"

namespace blockyard::store::layout {

using base::Errc;
using base::Error;

std::string segments_attribute(std::size_t index) { return fmt::format("segments {}", index); }

std::string array_name(const std::string& label) { return "arrays/" + hdf5::name_of_label(label); }
std::string blocks_name(const std::string& label) { return "blocks/" + hdf5::name_of_label(label); }
std::string scalar_name(const std::string& label) {
  return "scalars/" + hdf5::name_of_label(label);
}

void check_array(const std::string& label, const PersistedArray& array) {
  bool is_good = !array.segments.empty();
  for (const auto& segments : array.segments)
    for (const base::Extent extent : segments) is_good = is_good && extent >= 0;
  if (!is_good)
    throw Error(
        Errc::bad_input,
        fmt::format("the persistent array '{}' needs an index, and no extent below 0", label));
}

std::vector<hsize_t> dims_of(const PersistedArray& array) {
  std::vector<hsize_t> dims;
  for (auto it = array.segments.rbegin(); it != array.segments.rend(); ++it)
    dims.push_back(static_cast<hsize_t>(std::accumulate(it->begin(), it->end(), base::Extent{0})));
  return dims;
}

std::vector<hsize_t> grid_of(const PersistedArray& array) {
  std::vector<hsize_t> grid;
  for (auto it = array.segments.rbegin(); it != array.segments.rend(); ++it)
    grid.push_back(it->size());
  return grid;
}

bool is_empty(const Piece& piece) {
  return std::ranges::find(piece.extents, base::Extent{0}) != piece.extents.end();
}

Selection select(hid_t dataset, const std::string& label, const Piece& piece, std::size_t count) {
  const std::string what = fmt::format("look at the persistent array '{}'", label);
  hdf5::SpaceId in_file(H5Dget_space(dataset), what);
  const int order = H5Sget_simple_extent_ndims(in_file.get());
  if (order < 0) hdf5::fail(what);
  const auto n = static_cast<std::size_t>(order);
  std::vector<hsize_t> dims(n);
  hdf5::check(H5Sget_simple_extent_dims(in_file.get(), dims.data(), nullptr), what);
  bool fits = piece.first.size() == n && piece.extents.size() == n;
  std::vector<hsize_t> start(n);
  std::vector<hsize_t> extents(n);
  std::size_t total = 1;
  for (std::size_t i = 0; fits && i < n; ++i) {
    const auto length = static_cast<base::Extent>(dims[i]);
    const base::Extent first = piece.first[n - 1 - i];
    const base::Extent extent = piece.extents[n - 1 - i];
    fits = first >= 0 && extent > 0 && first <= length && extent <= length - first;
    start[i] = static_cast<hsize_t>(first);
    extents[i] = static_cast<hsize_t>(extent);
    total *= static_cast<std::size_t>(extent);
  }
  if (!fits || total != count)
    throw Error(
        Errc::bad_input,
        fmt::format("a piece of {} values does not fit the persistent array '{}'", count, label));
  hdf5::check(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, start.data(), nullptr,
                                  extents.data(), nullptr),
              what);
  hdf5::SpaceId in_memory(H5Screate_simple(order, extents.data(), nullptr), what);
  return {std::move(in_file), std::move(in_memory)};
}

}  // namespace blockyard::store::layout
