// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"

namespace blockyard::worker {
namespace {

using array::IndexKind;
using base::Errc;
using base::Error;
using program::Program;

std::string place(const Program& program, const program::SourceLine& at) {
  return fmt::format("{}:{}", program.files.empty() ? program.name : program.files[at.file],
                     at.line);
}

template <class Map>
std::string hint(const Map& given, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [key, value] : given) names.push_back(key);
  const std::string nearest = base::nearest_name(name, names);
  return nearest.empty() ? "" : fmt::format(" (given is '{}')", nearest);
}

/// The job's value for a predefined name, or its initial one.
template <class Decl, class Map>
auto value_of(const Program& program, const Decl& decl, const Map& given, std::string_view what) {
  if (!decl.is_predefined) return decl.initial;
  const auto found = given.find(decl.name);
  if (found == given.end())
    throw Error(
        Errc::bad_input,
        fmt::format("{}: the job gives no value for predefined {} '{}'{}; add it to "
                    "[constants] or with --set {}=...",
                    place(program, decl.at), what, decl.name, hint(given, decl.name), decl.name));
  return static_cast<decltype(decl.initial)>(found->second);
}

std::int64_t bound_value(const program::Bound& bound, const Tables& tables) {
  return bound.is_name ? tables.ints[static_cast<std::size_t>(bound.value)] : bound.value;
}

Subsegments subsegments_of(const array::Segments& segments, IndexKind kind) {
  Subsegments result;
  for (std::int64_t s = 1; s <= segments.count(kind); ++s) {
    result.first_of.push_back(static_cast<std::int64_t>(result.all.size()) + 1);
    const Extent extent = segments.extent(kind, s);
    for (Extent offset = 0; offset < extent; offset += segments.subsegment())
      result.all.push_back({s, offset, std::min(segments.subsegment(), extent - offset)});
  }
  result.first_of.push_back(static_cast<std::int64_t>(result.all.size()) + 1);
  return result;
}

IndexRange range_of(const Program& program, const program::IndexDecl& index, const Tables& tables,
                    const array::Segments& segments) {
  const program::IndexDecl& super =
      index.parent < 0 ? index : program.indexes[static_cast<std::size_t>(index.parent)];
  const IndexRange range{bound_value(super.first, tables), bound_value(super.last, tables)};
  const std::int64_t count = segments.count(super.kind);
  if (super.kind != IndexKind::simple && range.first <= range.last &&
      (range.first < 1 || range.last > count))
    throw Error(
        Errc::bad_input,
        fmt::format("{}: index '{}' ranges over segments {}:{} of kind {}, but the job gives "
                    "{} segments of that kind; see [segments] or --segments {}=...",
                    place(program, index.at), index.name, range.first, range.last,
                    name_of(super.kind), count, name_of(super.kind)));
  if (index.parent < 0 || range.first > range.last) return range;
  const auto& first_of = tables.subsegments[static_cast<std::size_t>(super.kind)].first_of;
  return {first_of[static_cast<std::size_t>(range.first - 1)],
          first_of[static_cast<std::size_t>(range.last)] - 1};
}

array::Axis axis_of(const program::IndexDecl& index, const IndexRange& range, const Tables& tables,
                    const array::Segments& segments) {
  array::Axis axis{index.kind, range.first, {}, {}};
  constexpr std::int64_t most_segments = std::int64_t{1} << 32;
  if (range.last - range.first >= most_segments)
    throw Error(Errc::bad_input, fmt::format("index '{}' has more than 2^32 values", index.name));
  const auto& subsegments = tables.subsegments[static_cast<std::size_t>(index.kind)].all;
  for (std::int64_t value = range.first; value <= range.last; ++value)
    axis.extents.push_back(index.parent < 0
                               ? segments.extent(index.kind, value)
                               : subsegments[static_cast<std::size_t>(value - 1)].extent);
  return axis;
}

}  // namespace

Tables bind(const Program& program, const Environment& environment) {
  Tables tables;
  for (const auto& decl : program.ints)
    tables.ints.push_back(value_of(program, decl, environment.ints, "int"));
  for (const auto& decl : program.scalars)
    tables.scalars.push_back(value_of(program, decl, environment.scalars, "scalar"));
  for (std::size_t k = 1; k < array::kind_count; ++k)
    tables.subsegments[k] = subsegments_of(environment.segments, static_cast<IndexKind>(k));
  for (const auto& index : program.indexes)
    tables.indexes.push_back(range_of(program, index, tables, environment.segments));
  for (const auto& decl : program.arrays) {
    std::vector<array::Axis> axes;
    for (const std::int32_t k : decl.indexes) {
      const auto at = static_cast<std::size_t>(k);
      axes.push_back(
          axis_of(program.indexes[at], tables.indexes[at], tables, environment.segments));
    }
    tables.grids.emplace_back(std::move(axes));
  }
  return tables;
}

}  // namespace blockyard::worker
