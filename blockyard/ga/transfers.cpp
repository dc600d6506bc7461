// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/transfers.h"

#include "blockyard/garray/places.h"

namespace blockyard::ga {

using array::Box;
using array::Extent;
using array::Indexes;
using garray::Array;
using garray::Lattice;
using garray::Local;
using garray::Pending;
using garray::Spread;

namespace {

// Elements that are read or added to must have been written.

void look_before(Checks& checks, const Array& array, const Box& box) {
  std::vector<std::byte> there(static_cast<std::size_t>(box.element_count()) * array.kind.bytes);
  const Local local{there.data(), array::dense_strides(box)};
  garray::get(runtime(), array, box, local);
  checks.look(array, box, local);
}

/// Each element of a lattice by its number, for the checks alone.
std::vector<Extent> numbers_of(const Array& array, const Lattice& lattice) {
  std::vector<Indexes> places;
  array::for_each_index(Box{.axes = lattice.axes, .end = lattice.counts}, [&](Indexes at) {
    for (std::size_t d = 0; d < lattice.axes; ++d)
      at[d] = lattice.first[d] + at[d] * lattice.steps[d];
    places.push_back(at);
  });
  return garray::numbers_of(array.whole(), places);
}

void look_before(Checks& checks, const Array& array, const Lattice& lattice) {
  const auto unit = static_cast<Extent>(array.kind.bytes);
  const Box dense{.axes = lattice.axes, .end = lattice.counts};
  std::vector<std::byte> there(static_cast<std::size_t>(dense.element_count() * unit));
  Indexes strides = array::dense_strides(dense);
  for (Extent& stride : strides) stride *= unit;
  garray::get(runtime(), array, lattice, {there.data(), strides});
  checks.look(array, numbers_of(array, lattice), there.data());
}

}  // namespace

// While things are checked a transfer is complete at once: what came is looked at.

void get(const Array& array, const Box& box, Local to, Pending* pending) {
  Checks* checks = edge().checks.get();
  if (checks == nullptr) [[likely]]
    return garray::get(runtime(), array, box, to, pending);
  garray::get(runtime(), array, box, to);
  checks->note(array, Use::get, box);
  checks->look(array, box, to);
}

void put(const Array& array, const Box& box, Local from, Pending* pending) {
  if (Checks* checks = edge().checks.get()) checks->note(array, Use::put, box);
  garray::put(runtime(), array, box, from, pending);
}

void accumulate(const Array& array, const Box& box, Local from, const void* factor,
                Pending* pending) {
  if (Checks* checks = edge().checks.get()) {
    look_before(*checks, array, box);
    checks->note(array, Use::accumulate, box);
  }
  garray::accumulate(runtime(), array, box, from, factor, pending);
}

void get(const Array& array, const Lattice& lattice, const Spread& to) {
  if (Checks* checks = edge().checks.get()) {
    look_before(*checks, array, lattice);
    checks->note(array, Use::get, numbers_of(array, lattice));
  }
  garray::get(runtime(), array, lattice, to);
}

void put(const Array& array, const Lattice& lattice, const Spread& from) {
  if (Checks* checks = edge().checks.get())
    checks->note(array, Use::put, numbers_of(array, lattice));
  garray::put(runtime(), array, lattice, from);
}

void accumulate(const Array& array, const Lattice& lattice, const Spread& from,
                const void* factor) {
  if (Checks* checks = edge().checks.get()) {
    look_before(*checks, array, lattice);
    checks->note(array, Use::accumulate, numbers_of(array, lattice));
  }
  garray::accumulate(runtime(), array, lattice, from, factor);
}

void gather(const Array& array, std::span<const Indexes> places, void* values) {
  garray::gather(runtime(), array, places, values);
  if (Checks* checks = edge().checks.get()) {
    auto numbers = garray::numbers_of(array.whole(), places);
    checks->look(array, numbers, values);
    checks->note(array, Use::get, std::move(numbers));
  }
}

void scatter(const Array& array, std::span<const Indexes> places, const void* values) {
  if (Checks* checks = edge().checks.get())
    checks->note(array, Use::put, garray::numbers_of(array.whole(), places));
  garray::scatter(runtime(), array, places, values);
}

void scatter_add(const Array& array, std::span<const Indexes> places, const void* values,
                 const void* factor) {
  if (Checks* checks = edge().checks.get()) {
    std::vector<std::byte> there(places.size() * array.kind.bytes);
    garray::gather(runtime(), array, places, there.data());
    auto numbers = garray::numbers_of(array.whole(), places);
    checks->look(array, numbers, there.data());
    checks->note(array, Use::accumulate, std::move(numbers));
  }
  garray::scatter_add(runtime(), array, places, values, factor);
}

std::int64_t read_and_add(const Array& array, const Indexes& at, std::int64_t increment) {
  std::int64_t was = garray::read_and_add(runtime(), array, at, increment);
  if (Checks* checks = edge().checks.get()) {
    Box one{.axes = array.axes(), .first = at, .end = at};
    for (std::size_t d = 0; d < one.axes; ++d) ++one.end[d];
    checks->note(array, Use::count, one);
    checks->look(array, one, {.data = &was, .strides = {}});  // the first bytes, if it has 4
  }
  return was;
}

}  // namespace blockyard::ga
