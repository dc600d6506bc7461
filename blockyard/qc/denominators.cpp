// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/denominators.h"

#include <fmt/format.h>

#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::qc {

namespace {

/// combine(value, difference of energies) for every value of t.
template <class Combine>
void with_energies(std::span<double> t, std::span<const Extent> extents,
                   std::span<const Extent> first, std::span<const double> energies, double shift,
                   const Combine& combine) {
  std::size_t order = extents.size();
  if (order != 2 && order != 4 && order != 6)
    throw base::Error(base::Errc::bad_input,
                      fmt::format("energy denominators need 2, 4 or 6 indexes, not {}", order));
  const auto energies_of = [&](std::size_t k) {
    if (first[k] < 0 || first[k] + extents[k] > std::ssize(energies))
      throw base::Error(base::Errc::bad_input,
                        fmt::format("orbitals {} to {} of index {} have no energy: there are {}",
                                    first[k] + 1, first[k] + extents[k], k + 1, energies.size()));
    return energies.subspan(static_cast<std::size_t>(first[k]),
                            static_cast<std::size_t>(extents[k]));
  };
  const auto sign_of = [](std::size_t k) { return k % 2 == 0 ? -1.0 : 1.0; };
  // Single orbitals at the end change nothing but the shift: the loop below stays over many.
  while (order > 1 && extents[order - 1] == 1) {
    --order;
    shift += sign_of(order) * energies_of(order)[0];
  }
  // Sums over all indexes but the last, in the order of memory.
  std::vector<double> sums = {shift};
  for (std::size_t k = 0; k + 1 < order; ++k) {
    std::vector<double> longer;
    longer.reserve(sums.size() * static_cast<std::size_t>(extents[k]));
    for (const double energy : energies_of(k))
      for (const double sum : sums) longer.push_back(sum + sign_of(k) * energy);
    sums = std::move(longer);
  }
  const auto last = energies_of(order - 1);
  base::require(t.size() == sums.size() * last.size(), "t has the extents that are given");
  double* value = t.data();
  for (const double energy : last)
    for (const double sum : sums) combine(*value++, sum + sign_of(order - 1) * energy);
}

}  // namespace

void divide_by_energies(std::span<double> t, std::span<const Extent> extents,
                        std::span<const Extent> first, std::span<const double> energies,
                        double shift) {
  with_energies(t, extents, first, energies, shift, [](double& value, double by) { value /= by; });
}

void multiply_by_energies(std::span<double> t, std::span<const Extent> extents,
                          std::span<const Extent> first, std::span<const double> energies) {
  with_energies(t, extents, first, energies, 0.0, [](double& value, double by) { value *= by; });
}

}  // namespace blockyard::qc
