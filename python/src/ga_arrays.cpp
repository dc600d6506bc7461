// SPDX-License-Identifier: Apache-2.0
// Global arrays: one-sided access, and views of what lies on this node.
#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "blockyard/base/error.h"
#include "python/src/ga.h"

namespace blockyard::python {

using base::Errc;
using base::Error;
using garray::Box;
using garray::Piece;

PyMemory::PyMemory(const nb::handle& object, Use use) {
  const int flags = use == Use::write ? PyBUF_STRIDES | PyBUF_WRITABLE : PyBUF_STRIDES;
  if (PyObject_GetBuffer(object.ptr(), &buffer_, flags) != 0) throw nb::python_error();
}

Indexes GaArray::model(const Extents& numbers) const {
  if (numbers.size() != array().axes())
    throw Error(Errc::bad_input, fmt::format("array \"{}\" has {} axes, not {}", array().name,
                                             array().axes(), numbers.size()));
  Indexes result{};
  for (std::size_t d = 0; d < numbers.size(); ++d) result[axis(d)] = numbers[d];
  return result;
}

Extents GaArray::python(const Indexes& numbers) const {
  Extents result(array().axes());
  for (std::size_t d = 0; d < result.size(); ++d) result[d] = numbers[axis(d)];
  return result;
}

Box GaArray::box(const Extents& first, const Extents& end) const {
  const Box box{.axes = array().axes(), .first = model(first), .end = model(end)};
  for (std::size_t d = 0; d < box.axes; ++d)
    if (box.first[d] < 0 || box.end[d] > array().extents[d])
      throw Error(Errc::bad_input,
                  fmt::format("array \"{}\" has {} elements along an axis, of "
                              "which {} to {} are asked for",
                              array().name, array().extents[d], box.first[d], box.end[d] - 1));
  return box;
}

void GaPending::end() noexcept {
  if (pending.is_empty()) return;
  const nb::gil_scoped_release release;
  const garray::Runtime& runtime = held->world->runtime;
  bool is_known = !runtime.has_ended();
  try {
    if (is_known) pending.wait(runtime.memory());
  } catch (const Error&) {  // a rank has failed
    is_known = false;
  }
  if (!is_known) static_cast<void>(memory.release());  // it stays: something may still come
}

namespace {

using Use = PyMemory::Use;
using Bytes = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>;

/// The lattice of every steps[d]-th element that `memory` has room for.
garray::Lattice lattice_of(const GaArray& self, const Extents& first, const Extents& steps,
                           const PyMemory& memory) {
  garray::Lattice lattice{
      .axes = self.array().axes(), .first = self.model(first), .counts = {}, .steps = {}};
  lattice.steps = self.model(steps);
  base::require(memory.axes() == lattice.axes, "memory has the axes of the array");
  for (std::size_t d = 0; d < lattice.axes; ++d) lattice.counts[self.axis(d)] = memory.extent(d);
  const Box box = lattice.box();
  for (std::size_t d = 0; d < lattice.axes; ++d)
    base::require(
        lattice.steps[d] > 0 && box.first[d] >= 0 && box.end[d] <= self.array().extents[d],
        "the elements lie in the array");
  return lattice;
}

garray::Spread spread_of(const GaArray& self, const PyMemory& memory) {
  garray::Spread spread{memory.data(), {}};
  for (std::size_t d = 0; d < memory.axes(); ++d)
    spread.strides_bytes[self.axis(d)] = memory.stride_bytes(d);
  return spread;
}

/// factor: what is put is added, times this; none: it replaces.
std::unique_ptr<GaPending> move(const GaArray& self, bool is_get, const Extents& first,
                                const Extents& steps, const nb::object& near,
                                const nb::object& factor, bool is_later) {
  auto memory = std::make_unique<PyMemory>(near, is_get ? Use::write : Use::read);
  std::optional<PyMemory> scale;
  if (!factor.is_none()) scale.emplace(factor, Use::read);
  const garray::Lattice lattice = lattice_of(self, first, steps, *memory);
  const garray::Spread spread = spread_of(self, *memory);
  auto later = is_later ? std::make_unique<GaPending>(self.held, std::move(memory)) : nullptr;
  {
    const nb::gil_scoped_release release;
    garray::Pending* pending = is_later ? &later->pending : nullptr;
    if (is_get)
      garray::get(self.runtime(), self.array(), lattice, spread, pending);
    else if (scale)
      garray::accumulate(self.runtime(), self.array(), lattice, spread, scale->data(), pending);
    else
      garray::put(self.runtime(), self.array(), lattice, spread, pending);
  }
  return later;
}

/// places: int64, one row for each element.
std::vector<Indexes> places_of(const GaArray& self, const nb::object& places) {
  const PyMemory memory(places, Use::read);
  const std::size_t axes = self.array().axes();
  base::require(memory.axes() == 2 && memory.extent(1) == static_cast<Extent>(axes) &&
                    memory.bytes() % (axes * sizeof(Extent)) == 0,
                "places have an index for each axis");
  std::vector<Indexes> result(memory.bytes() / (axes * sizeof(Extent)));
  for (std::size_t i = 0; i < result.size(); ++i)
    for (std::size_t d = 0; d < axes; ++d)
      result[i][self.axis(d)] = *reinterpret_cast<const Extent*>(
          memory.data() + static_cast<Extent>(i) * memory.stride_bytes(0) +
          static_cast<Extent>(d) * memory.stride_bytes(1));
  const Box whole = self.array().whole();
  for (const Indexes& at : result) base::require(whole.contains(at), "places lie in the array");
  return result;
}

void gather(const GaArray& self, const nb::object& places, const nb::object& into) {
  const auto at = places_of(self, places);
  const PyMemory memory(into, Use::write);
  const nb::gil_scoped_release release;
  garray::gather(self.runtime(), self.array(), at, memory.data());
}

void scatter(const GaArray& self, const nb::object& places, const nb::object& values,
             const nb::object& factor) {
  const auto at = places_of(self, places);
  const PyMemory memory(values, Use::read);
  std::optional<PyMemory> scale;
  if (!factor.is_none()) scale.emplace(factor, Use::read);
  const nb::gil_scoped_release release;
  if (scale)
    garray::scatter_add(self.runtime(), self.array(), at, memory.data(), scale->data());
  else
    garray::scatter(self.runtime(), self.array(), at, memory.data());
}

std::int64_t read_and_add(const GaArray& self, const Extents& at, std::int64_t increment) {
  const Indexes place = self.model(at);
  base::require(self.array().whole().contains(place), "the element lies in the array");
  const nb::gil_scoped_release release;
  return garray::read_and_add(self.runtime(), self.array(), place, increment);
}

/// (member, first, end) of the part of each block in a box, of one member or of all.
std::vector<std::tuple<int, Extents, Extents>> pieces(const GaArray& self, const Extents& first,
                                                      const Extents& end,
                                                      std::optional<int> member) {
  std::vector<std::tuple<int, Extents, Extents>> found;
  self.array().distribution.for_each_piece(self.box(first, end), [&](const Piece& piece) {
    if (member && piece.rank != *member) return;
    found.emplace_back(piece.rank, self.python(piece.box.first), self.python(piece.box.end));
  });
  return found;
}

/// Memory from `place` on, as bytes, which keeps the array alive; strides in bytes.
nb::tuple bytes_at(nb::handle self, const GaArray& array, std::byte* place, Extent elements,
                   const Indexes& strides) {
  const auto unit = static_cast<Extent>(array.array().kind.bytes);
  const auto length = static_cast<std::size_t>(elements * unit);
  Extents byte_strides = array.python(strides);
  for (Extent& stride : byte_strides) stride *= unit;
  return nb::make_tuple(nb::cast(Bytes(reinterpret_cast<std::uint8_t*>(place), {length}, self),
                                 nb::rv_policy::reference),
                        nb::tuple(nb::cast(byte_strides)));
}

/// Where a box lies, if one rank of this node has all of it in one piece: its bytes and strides.
nb::object view(nb::handle_t<GaArray> self, const Extents& first, const Extents& end) {
  const GaArray& array = *nb::inst_ptr<GaArray>(self);
  const Box box = array.box(first, end);
  nb::object found = nb::none();
  array.array().distribution.for_each_piece(box, [&](const Piece& piece) {
    std::byte* base = array.array().bases[static_cast<std::size_t>(piece.rank)];
    if (piece.box != box || base == nullptr) return;
    Extent span = 1;
    for (std::size_t d = 0; d < box.axes; ++d) span += (box.extent(d) - 1) * piece.strides[d];
    found = bytes_at(self, array,
                     base + static_cast<std::size_t>(piece.offset) * array.array().kind.bytes, span,
                     piece.strides);
  });
  return found;
}

/// The own block with its ghost cells: bytes, strides, shape. None if this rank has no block.
nb::object padded(nb::handle_t<GaArray> self) {
  const GaArray& array = *nb::inst_ptr<GaArray>(self);
  nb::object found = nb::none();
  const Indexes& widths = array.array().distribution.widths();
  garray::for_each_own(garray::whole(array.array()), [&](const Piece& piece, std::byte* data) {
    Extent span = 1, before = 0;
    Indexes extents{};
    for (std::size_t d = 0; d < piece.box.axes; ++d) {
      extents[d] = piece.box.extent(d) + 2 * widths[d];
      span += (extents[d] - 1) * piece.strides[d];
      before += widths[d] * piece.strides[d];
    }
    const nb::tuple bytes =
        bytes_at(self, array, data - static_cast<std::size_t>(before) * array.array().kind.bytes,
                 span, piece.strides);
    found = nb::make_tuple(bytes[0], bytes[1], nb::tuple(nb::cast(array.python(extents))));
  });
  return found;
}

}  // namespace

void bind_ga_arrays(nb::module_& module) {
  nb::class_<GaArray>(module, "GaArray")
      .def_prop_ro("name", [](const GaArray& self) { return self.array().name; })
      .def_prop_ro("is_reversed", [](const GaArray& self) { return self.is_reversed; })
      .def("transposed",
           [](const GaArray& self) {
             return GaArray{self.held, !self.is_reversed};
           })
      .def("is_same",
           [](const GaArray& self, const GaArray& other) { return self.held == other.held; })
      .def("move", &move, nb::arg("is_get"), nb::arg("first"), nb::arg("steps"), nb::arg("near"),
           nb::arg("factor").none(), nb::arg("is_later"))
      .def("gather", &gather)
      .def("scatter", &scatter, nb::arg("places"), nb::arg("values"), nb::arg("factor").none())
      .def("read_and_add", &read_and_add)
      .def("pieces", &pieces, nb::arg("first"), nb::arg("end"), nb::arg("member") = nb::none())
      .def("view", &view)
      .def("padded", &padded);
  nb::class_<GaPending>(module, "GaPending")
      .def("wait",
           [](GaPending& self) {
             const nb::gil_scoped_release release;
             self.pending.wait(self.held->world->runtime.memory());
           })
      .def("test",
           [](GaPending& self) { return self.pending.test(self.held->world->runtime.memory()); });
}

}  // namespace blockyard::python
