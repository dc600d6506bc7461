// SPDX-License-Identifier: Apache-2.0
// Blocks of arrays that only Python can read (HDF5, Zarr, dask): a function is asked for each when
// a program first wants it.

#include <algorithm>

#include "blockyard/array/element.h"
#include "blockyard/array/grid.h"
#include "blockyard/base/error.h"
#include "python/src/bindings.h"

namespace blockyard::python {

namespace {

/// The block as the function fills it: a view that is valid during the call.
template <class T>
nb::object view_of(std::span<std::byte> into, const std::vector<std::size_t>& extents) {
  std::vector<std::int64_t> strides;
  std::int64_t stride = 1;
  for (const std::size_t extent : extents) {
    strides.push_back(stride);
    stride *= static_cast<std::int64_t>(extent);
  }
  const nb::object owner = nb::none();  // so that nanobind makes a view and no copy
  return nb::cast(nb::ndarray<nb::numpy, T>(reinterpret_cast<T*>(into.data()), extents.size(),
                                            extents.data(), owner, strides.data()),
                  nb::rv_policy::reference);
}

/// Calls fill(first, block), with the place of the first element in the whole array. Any thread.
struct Asked {
  array::Grid grid;
  array::ElementType type;
  Shared fill;
  std::shared_ptr<FirstError> first_error;  // shared with the job

  void operator()(std::uint64_t number, std::span<std::byte> into) const {
    std::vector<std::int64_t> at(grid.order());
    grid.segments_of(number, at);
    std::vector<std::size_t> extents;
    std::vector<std::int64_t> first;
    for (std::size_t k = 0; k < at.size(); ++k) {
      extents.push_back(static_cast<std::size_t>(grid.extent(k, at[k])));
      first.push_back(grid.offset(k, at[k]));
    }
    const nb::gil_scoped_acquire gil;
    try {
      const nb::object block = array::with_type(
          type, [&]<class T>() -> nb::object { return view_of<T>(into, extents); });
      fill.object()(first, block);
    } catch (nb::python_error& error) {
      first_error->note(error);
      throw base::Error(base::Errc::io, error.what());
    }
  }
};

}  // namespace

server::Lent ask(const std::string& label, const nb::object& fill,
                 const std::vector<std::vector<Extent>>& segments, array::ElementType type,
                 std::shared_ptr<FirstError> first_error) {
  const array::Grid grid = array::grid_of(segments);
  std::vector<std::size_t> bytes(grid.block_count());
  std::vector<std::int64_t> at(grid.order());
  for (std::uint64_t number = 0; number < bytes.size(); ++number) {
    grid.segments_of(number, at);
    bytes[number] = static_cast<std::size_t>(grid.element_count(at)) * array::bytes_of(type);
  }
  return {label, std::move(bytes), Asked{grid, type, Shared(fill), std::move(first_error)}};
}

}  // namespace blockyard::python
