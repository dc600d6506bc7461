// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

/// What a part of a run counts: a struct of numbers, and a row for each of them. Bytes, sums, the
/// JSON of a report, its page and docs/report.md come from the rows, so that a new counter is a
/// field with its row, and what adds to it.
namespace blockyard::base {

enum class Unit : std::uint8_t { count, bytes, seconds, flops };

/// How the numbers of several workers, or programs, become one.
enum class Merge : std::uint8_t { sum, maximum };

template <class Counts>
struct Metric {
  std::variant<std::uint64_t Counts::*, double Counts::*> field;
  std::string_view name;  ///< in the JSON of a report
  Unit unit = Unit::count;
  Merge merge = Merge::sum;
  std::string_view meaning;
};

[[nodiscard]] constexpr std::string_view name_of(Unit unit) noexcept {
  constexpr std::string_view names[] = {"count", "bytes", "seconds", "flops"};
  return names[static_cast<std::size_t>(unit)];
}
[[nodiscard]] constexpr std::string_view name_of(Merge merge) noexcept {
  return merge == Merge::sum ? "sum" : "maximum";
}

/// For a static_assert next to the rows: each field of Counts, all of eight bytes, has one row.
template <class Counts, std::size_t n>
[[nodiscard]] constexpr bool has_row_for_each_field(const Metric<Counts> (&rows)[n]) {
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t other = 0; other < k; ++other)
      if (rows[k].field == rows[other].field || rows[k].name == rows[other].name) return false;
  return n * sizeof(double) == sizeof(Counts);
}

/// Calls visit(row, number) for each number of `counts`.
template <class Counts, class Visit>
void for_each_metric(std::span<const Metric<Counts>> rows, const Counts& counts,
                     const Visit& visit) {
  for (const Metric<Counts>& row : rows)
    std::visit([&](const auto field) { visit(row, counts.*field); }, row.field);
}

/// `all` and `more` as one.
template <class Counts>
void merge(std::span<const Metric<Counts>> rows, Counts& all, const Counts& more) {
  for (const Metric<Counts>& row : rows)
    std::visit(
        [&](const auto field) {
          all.*field = row.merge == Merge::sum ? all.*field + more.*field
                                               : std::max(all.*field, more.*field);
        },
        row.field);
}

/// What came after `before`; of a maximum, it.
template <class Counts>
[[nodiscard]] Counts since(std::span<const Metric<Counts>> rows, Counts now, const Counts& before) {
  for (const Metric<Counts>& row : rows)
    if (row.merge == Merge::sum)
      std::visit([&](const auto field) { now.*field -= before.*field; }, row.field);
  return now;
}

}  // namespace blockyard::base
