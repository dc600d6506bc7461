// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/scf_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blockyard/base/error.h"

namespace blockyard::qc {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw base::Error(base::Errc::bad_input, message);
}

double damping_while_falling(double e, double p, double v, double damping, double most) {
  if (p > 0.0) {
    double next = 4.0 * most;
    if (-e > v) next *= 16.0;
    if (-e + p < v) next /= 16.0;
    return next;
  }
  if (e > p) return e > p / 4.0 ? damping / 16.0 : (e / p) * (e / p) * most;
  if (std::abs(e) >= 2.0 * v) return 16.0 * most;
  return std::abs(e) > v / 2.0 ? damping : damping / 16.0;
}

double damping_while_rising(double e, double p, double v, double most) {
  if (p <= 0.0) {
    double next = 4.0 * most;
    if (e > v / 2.0) next *= 16.0;
    if (e - p < v / 5.0) next /= 16.0;
    return next;
  }
  if (e >= 4.0 * p) return 16.0 * most;
  if (e <= p / 4.0) return 4.0 * most / 16.0;
  return (e / p) * (e / p) * std::max(4.0 * most, v);
}

}  // namespace

void occupy_lowest(std::span<double> occupations, Extent electrons) {
  if (electrons > std::ssize(occupations))
    refuse(fmt::format("{} electrons of one spin do not fit {} orbitals", electrons,
                       occupations.size()));
  std::fill_n(occupations.begin(), electrons, 1.0);
}

void occupy_most_alike(std::span<const double> overlaps, Extent rows,
                       std::span<double> occupations) {
  if (rows < 1 || std::ssize(occupations) < rows || std::ssize(overlaps) % rows != 0)
    refuse("one occupation is needed for each row of the overlaps");
  for (auto column = overlaps; !column.empty();
       column = column.subspan(static_cast<std::size_t>(rows))) {
    const auto largest =
        std::max_element(column.begin(), column.begin() + rows,
                         [](double x, double y) { return std::abs(x) < std::abs(y); });
    occupations[static_cast<std::size_t>(largest - column.begin())] = 1.0;
  }
}

void scale_columns(std::span<double> block, Extent rows, std::span<const double> occupations,
                   Extent first) {
  const Extent columns = std::ssize(block) / rows;
  if (first < 0 || first + columns > std::ssize(occupations))
    refuse(fmt::format("orbitals {} to {} have no occupation", first + 1, first + columns));
  for (Extent k = 0; k < columns; ++k)
    for (double& x :
         block.subspan(static_cast<std::size_t>(k * rows), static_cast<std::size_t>(rows)))
      x *= occupations[static_cast<std::size_t>(first + k)];
}

void zero_columns(std::span<double> matrix, Extent rows, Extent count) {
  if (rows * count > std::ssize(matrix))
    refuse(fmt::format("{} core orbitals are more than the matrix has", count));
  std::fill_n(matrix.begin(), rows * count, 0.0);
}

double next_damping(const EnergyChange& change, double damping) {
  const auto& [last, previous, average] = change;
  const double most = std::max(damping, average);
  const double next = last <= 0.0 ? damping_while_falling(last, previous, average, damping, most)
                                  : damping_while_rising(last, previous, average, most);
  return std::min(next, 256.0);
}

void contract_ladder(std::span<const double> v, const std::array<Extent, 4>& mnls,
                     std::span<const double> t, const std::array<Extent, 2>& ij,
                     std::span<double> out) {
  const auto [m, n, l, s] = mnls;
  const auto [i, j] = ij;
  if (std::ssize(v) != m * n * l * s || std::ssize(t) != m * i * l * j ||
      std::ssize(out) != n * i * s * j)
    refuse("the extents of the three blocks do not fit each other");
  std::fill(out.begin(), out.end(), 0.0);
  for (Extent jj = 0; jj < j; ++jj)
    for (Extent ss = 0; ss < s; ++ss)
      for (Extent ll = 0; ll < l; ++ll)
        for (Extent ii = 0; ii < i; ++ii) {
          const double* from = t.data() + m * (ii + i * (ll + l * jj));
          for (Extent nn = 0; nn < n; ++nn) {
            const double* row = v.data() + m * (nn + n * (ll + l * ss));
            double sum = 0.0;
            for (Extent mm = 0; mm < m; ++mm) sum += row[mm] * from[mm];
            out[static_cast<std::size_t>(nn + n * (ii + i * (ss + s * jj)))] += sum;
          }
        }
}

}  // namespace blockyard::qc
