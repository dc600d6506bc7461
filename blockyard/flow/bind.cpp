// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/bind.h"

#include <fmt/format.h>

#include <algorithm>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"

namespace blockyard::flow {
namespace {

using array::IndexKind;
using base::Errc;
using base::Error;
using program::Program;

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
    throw Error(Errc::bad_input,
                fmt::format("{}: the job gives no value for predefined {} '{}'{}; add it to "
                            "[constants] or with --set {}=...",
                            place_of(program, decl.at), what, decl.name, hint(given, decl.name),
                            decl.name));
  return static_cast<decltype(decl.initial)>(found->second);
}

/// An int of the job is a value for a scalar, too, if there is no other.
std::complex<double> scalar_of(const Program& program, const program::ScalarDecl& decl,
                               const Environment& environment) {
  const auto integer = environment.ints.find(decl.name);
  if (decl.is_predefined && integer != environment.ints.end() &&
      !environment.scalars.contains(decl.name))
    return static_cast<double>(integer->second);
  return value_of(program, decl, environment.scalars, "scalar");
}

std::int64_t bound_value(const program::Bound& bound, const Tables& tables) {
  return bound.is_name ? tables.ints[static_cast<std::size_t>(bound.value)] : bound.value;
}

IndexRange range_of(const Program& program, const program::IndexDecl& index, const Tables& tables,
                    const array::Segments& segments) {
  const program::IndexDecl& super =
      index.parent < 0 ? index : program.indexes[static_cast<std::size_t>(index.parent)];
  const IndexRange range{bound_value(super.first, tables), bound_value(super.last, tables)};
  constexpr std::int64_t most_values = std::int64_t{1} << 62;
  std::int64_t values = 0;
  if (range.first <= range.last &&
      (__builtin_sub_overflow(range.last, range.first, &values) || values >= most_values))
    throw Error(Errc::bad_input,
                fmt::format("{}: index '{}' ranges over {}:{}, more than 2^62 values",
                            place_of(program, index.at), index.name, range.first, range.last));
  const std::int64_t count = segments.count(super.kind);
  if (super.kind != IndexKind::simple && range.first <= range.last &&
      (range.first < 1 || range.last > count))
    throw Error(
        Errc::bad_input,
        fmt::format("{}: index '{}' ranges over segments {}:{} of kind {}, but the job gives "
                    "{} segments of that kind; see [segments] or --segments {}=...",
                    place_of(program, index.at), index.name, range.first, range.last,
                    name_of(super.kind), count, name_of(super.kind)));
  if (index.parent < 0 || range.first > range.last) return range;
  const Subsegments& pieces = tables.subsegments[static_cast<std::size_t>(super.kind)];
  return {pieces.range_of(range.first).first, pieces.range_of(range.last).last};
}

array::Axis axis_of(const program::IndexDecl& index, const IndexRange& range, const Tables& tables,
                    const array::Segments& segments) {
  array::Axis axis(index.kind, range.first);
  if (range.last < range.first) return axis;
  if (index.kind == IndexKind::simple) {
    axis.append(1, range.last - range.first + 1);
    return axis;
  }
  if (index.parent < 0) {
    for (std::int64_t value = range.first; value <= range.last; ++value)
      axis.append(segments.extent(index.kind, value));
    return axis;
  }
  const Extent length = segments.subsegment();
  const IndexRange& whole = tables.indexes[static_cast<std::size_t>(index.parent)];
  for (std::int64_t value = whole.first; value <= whole.last; ++value) {
    const Extent extent = segments.extent(index.kind, value);
    axis.append(length, extent / length);
    if (extent % length != 0) axis.append(extent % length);
  }
  return axis;
}

array::Grid grid_of(const Program& program, const program::ArrayDecl& decl, const Tables& tables,
                    const array::Segments& segments) try {
  std::vector<array::Axis> axes;
  for (const std::int32_t k : decl.indexes) {
    const auto at = static_cast<std::size_t>(k);
    axes.push_back(axis_of(program.indexes[at], tables.indexes[at], tables, segments));
  }
  return array::Grid(std::move(axes));
} catch (const Error& error) {
  throw Error(error.code(), fmt::format("{}: array '{}': {}", place_of(program, decl.at), decl.name,
                                        error.what()));
}

}  // namespace

Subsegments::Subsegments(std::span<const Extent> segments, Extent length)
    : extents_(segments.begin(), segments.end()), first_{1}, length_(length) {
  for (const Extent extent : extents_)
    first_.push_back(first_.back() + extent / length + (extent % length != 0 ? 1 : 0));
}

Subsegment Subsegments::at(std::int64_t number) const noexcept {
  const auto segment = std::ranges::upper_bound(first_, number) - first_.begin();
  const auto before = static_cast<std::size_t>(segment - 1);
  const Extent offset = (number - first_[before]) * length_;
  return {segment, offset, std::min(length_, extents_[before] - offset)};
}

std::int64_t Subsegments::most() const noexcept {
  std::int64_t most = 0;
  for (std::size_t k = 1; k < first_.size(); ++k) most = std::max(most, first_[k] - first_[k - 1]);
  return most;
}

Tables bind(const Program& program, const Environment& environment) {
  Tables tables;
  for (const auto& decl : program.ints)
    tables.ints.push_back(value_of(program, decl, environment.ints, "int"));
  for (const auto& decl : program.scalars)
    tables.scalars.emplace_back(scalar_of(program, decl, environment));
  for (std::size_t k = 1; k < array::kind_count; ++k)
    tables.subsegments[k] = Subsegments(environment.segments.extents(static_cast<IndexKind>(k)),
                                        environment.segments.subsegment());
  for (const auto& index : program.indexes)
    tables.indexes.push_back(range_of(program, index, tables, environment.segments));
  for (const auto& decl : program.arrays)
    tables.grids.push_back(grid_of(program, decl, tables, environment.segments));
  return tables;
}

}  // namespace blockyard::flow
