// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/segments.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "blockyard/base/error.h"

namespace blockyard::qc {
namespace {

constexpr double split_atom_cost = 0.125;
constexpr double split_family_cost = 0.5;
constexpr std::ptrdiff_t most_shared_apart =
    8;  // primitives of shells that may be apart at no cost

/// Functions before shell `shell`; all of them for shell == shells.size().
Extent functions_before(const AoBasis& basis, std::size_t shell) {
  return shell < basis.shells.size() ? basis.shells[shell].first_function : basis.function_count;
}

bool ends_inside_atom(const AoBasis& basis, std::size_t end) {
  return end < basis.shells.size() && basis.shells[end - 1].atom == basis.shells[end].atom;
}

/// Shells of a general contraction are computed together, as far as they stand together.
bool ends_inside_family(const AoBasis& basis, std::size_t end) {
  if (!ends_inside_atom(basis, end)) return false;
  const Contraction& last = basis.shells[end - 1].contraction;
  const Contraction& next = basis.shells[end].contraction;
  const auto is_shared = [&](double exponent) {
    return std::ranges::find(next.exponents, exponent) != next.exponents.end();
  };
  return last.angular_momentum == next.angular_momentum &&
         std::ranges::count_if(last.exponents, is_shared) > most_shared_apart;
}

double cost_of_cut(const AoBasis& basis, std::size_t end) {
  return (ends_inside_atom(basis, end) ? split_atom_cost : 0.0) +
         (ends_inside_family(basis, end) ? split_family_cost : 0.0);
}

/// cuts: the shells with which segments begin, then the number of shells.
AoSegments segments_of_cuts(const AoBasis& basis, const std::vector<std::size_t>& cuts) {
  AoSegments segments;
  for (std::size_t s = 0; s + 1 < cuts.size(); ++s) {
    segments.shells.push_back({cuts[s], cuts[s + 1] - cuts[s]});
    segments.extents.push_back(functions_before(basis, cuts[s + 1]) -
                               functions_before(basis, cuts[s]));
  }
  return segments;
}

}  // namespace

AoSegments segment_shells(const AoBasis& basis, Extent target) {
  if (target < 1)
    throw base::Error(base::Errc::bad_input,
                      fmt::format("a segment of {} functions: at least 1 is needed", target));
  const std::size_t count = basis.shells.size();
  // Shortest path: cost[e] is the least cost of segments that end with shell e - 1.
  std::vector<double> cost(count + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> begin_of_last(count + 1, 0);
  cost[0] = 0.0;
  for (std::size_t end = 1; end <= count; ++end) {
    const double cut = cost_of_cut(basis, end);
    for (std::size_t begin = end; begin-- > 0;) {
      const auto extent = functions_before(basis, end) - functions_before(basis, begin);
      const double excess = static_cast<double>(extent - target) / static_cast<double>(target);
      const double total = cost[begin] + excess * excess + cut;
      if (total < cost[end]) {
        cost[end] = total;
        begin_of_last[end] = begin;
      }
    }
  }
  std::vector<std::size_t> cuts = {count};
  while (cuts.back() != 0) cuts.push_back(begin_of_last[cuts.back()]);
  std::reverse(cuts.begin(), cuts.end());
  return segments_of_cuts(basis, cuts);
}

AoSegments segments_of_extents(const AoBasis& basis, std::span<const Extent> extents) {
  std::vector<std::size_t> cuts = {0};
  Extent functions = 0;
  for (const Extent extent : extents) {
    if (extent < 1)
      throw base::Error(base::Errc::bad_input,
                        fmt::format("a segment of {} functions: at least 1 is needed", extent));
    functions += extent;
    auto cut = cuts.back();
    while (cut < basis.shells.size() && functions_before(basis, cut) < functions) ++cut;
    if (functions < basis.function_count && functions_before(basis, cut) != functions)
      throw base::Error(
          base::Errc::bad_input,
          fmt::format("AO segment {} ends after function {}, inside a shell of atom {}: end it "
                      "after function {} or {}",
                      cuts.size(), functions, basis.shells[cut - 1].atom + 1,
                      functions_before(basis, cut - 1), functions_before(basis, cut)));
    cuts.push_back(cut);
  }
  if (functions != basis.function_count)
    throw base::Error(base::Errc::bad_input,
                      fmt::format("the AO segments hold {} functions, the basis {}", functions,
                                  basis.function_count));
  return segments_of_cuts(basis, cuts);
}

}  // namespace blockyard::qc
