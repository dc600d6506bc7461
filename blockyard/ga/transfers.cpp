// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ga/transfers.h"

#include "blockyard/garray/places.h"

namespace blockyard::ga {

using array::Box;
using array::Indexes;
using garray::Array;
using garray::Local;
using garray::Pending;

namespace {

/// Elements that are to be added to must have been written.
void look_before(Checks& checks, const Array& array, const Box& box) {
  std::vector<std::byte> there(static_cast<std::size_t>(box.element_count()) * array.kind.bytes);
  const Local local{there.data(), array::dense_strides(box)};
  garray::get(runtime(), array, box, local);
  checks.look(array, box, local);
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
