// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "blockyard/garray/first.h"
#include "blockyard/garray/transfer.h"
#include "blockyard/store/array_file.h"

namespace blockyard::garray {

namespace {

using base::Errc;
using base::Error;
using store::ElementKind;
using store::StoredArray;
using store::StoredBox;

ElementKind element_kind(const Kind& kind) {
  using fabric::Element;
  using Number = ElementKind::Number;
  if (!kind.element) return {Number::opaque, kind.bytes};
  switch (*kind.element) {
    case Element::i32:
      return {Number::i32, kind.bytes};
    case Element::i64:
      return {Number::i64, kind.bytes};
    case Element::f32:
      return {Number::f32, kind.bytes};
    case Element::f64:
      return {Number::f64, kind.bytes};
    case Element::c64:
      return {Number::c64, kind.bytes};
    case Element::c128:
      return {Number::c128, kind.bytes};
  }
  return {Number::opaque, kind.bytes};
}

StoredArray stored(const Array& array) {
  return {{array.extents.rbegin(), array.extents.rend()}, element_kind(array.kind)};
}

/// A name for each array that no other one has.
std::vector<std::string> names_of(std::span<const Array* const> arrays) {
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (const Array* array : arrays) {
    std::string name = array->name;
    for (int count = 2; !taken.insert(name).second; ++count)
      name = fmt::format("{} {}", array->name, count);
    names.push_back(name);
  }
  return names;
}

StoredBox stored(const Box& box) {
  StoredBox reversed;
  for (std::size_t d = box.axes; d-- > 0;) {
    reversed.first.push_back(box.first[d]);
    reversed.count.push_back(box.extent(d));
  }
  return reversed;
}

/// Calls visit(box, memory for it) for parts of an array, in order, that are not large.
template <class Visit>
void for_each_part(const Array& array, const Visit& visit) {
  constexpr std::size_t most_bytes = std::size_t{64} << 20;
  Indexes edges{};
  Extent bytes = static_cast<Extent>(array.kind.bytes);
  for (std::size_t d = 0; d < array.axes(); ++d) {
    edges[d] = std::clamp<Extent>(static_cast<Extent>(most_bytes) / bytes, 1, array.extents[d]);
    bytes *= edges[d];
  }
  std::vector<std::byte> memory(static_cast<std::size_t>(bytes));
  Box parts{.axes = array.axes()};
  for (std::size_t d = 0; d < array.axes(); ++d)
    parts.end[d] = (array.extents[d] + edges[d] - 1) / edges[d];
  array::for_each_index(parts, [&](const Indexes& at) {
    Box box{.axes = array.axes()};
    for (std::size_t d = 0; d < array.axes(); ++d) {
      box.first[d] = at[d] * edges[d];
      box.end[d] = std::min(box.first[d] + edges[d], array.extents[d]);
    }
    visit(box, std::span(memory).first(static_cast<std::size_t>(box.element_count()) *
                                       array.kind.bytes));
  });
}

void check_groups(const Runtime& runtime, int group, std::span<const Array* const> arrays) {
  for (const Array* array : arrays)
    if (runtime.team(array->group).ranks != runtime.team(group).ranks)
      refuse(*array, "is one of other processes than those that came here");
}

void check_described(const store::ArrayReader& file, const std::filesystem::path& path,
                     const std::string& name, const Array& array) {
  const StoredArray found = file.describe(name), wanted = stored(array);
  if (found.lengths != wanted.lengths)
    throw Error(Errc::bad_input,
                fmt::format("\"{}\" of {} has extents {}, and the array {}", name, path.string(),
                            fmt::join(found.lengths, " x "), fmt::join(wanted.lengths, " x ")));
  if (found.kind != wanted.kind)
    throw Error(Errc::bad_input,
                fmt::format("\"{}\" of {} has elements of another type than the array ({})", name,
                            path.string(), name_of(array.kind)));
}

}  // namespace

void save(const Runtime& runtime, int group, const std::filesystem::path& path,
          std::span<const Array* const> arrays) {
  check_groups(runtime, group, arrays);
  at_first(runtime, group, [&] {
    store::ArrayWriter file(path);
    const std::vector<std::string> names = names_of(arrays);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      file.begin(names[i], stored(*arrays[i]));
      for_each_part(*arrays[i], [&](const Box& box, std::span<std::byte> memory) {
        get(runtime, *arrays[i], box, {memory.data(), array::dense_strides(box)});
        file.write(names[i], stored(box), memory);
      });
    }
    file.finish();
  });
}

void load(const Runtime& runtime, int group, const std::filesystem::path& path,
          std::span<const Array* const> arrays) {
  check_groups(runtime, group, arrays);
  at_first(runtime, group, [&] {
    const store::ArrayReader file(path);
    const std::vector<std::string> names = names_of(arrays);
    for (std::size_t i = 0; i < arrays.size(); ++i)
      check_described(file, path, names[i], *arrays[i]);
    for (std::size_t i = 0; i < arrays.size(); ++i)
      for_each_part(*arrays[i], [&](const Box& box, std::span<std::byte> memory) {
        file.read(names[i], stored(box), memory);
        put(runtime, *arrays[i], box, {memory.data(), array::dense_strides(box)});
      });
    runtime.memory().fence(-1);
  });
}

}  // namespace blockyard::garray
