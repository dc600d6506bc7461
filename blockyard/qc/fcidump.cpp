// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/fcidump.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/base/integer.h"
#include "blockyard/qc/detail/lapack.h"

namespace blockyard::qc {

namespace {

constexpr double least = 1e-15;

/// c = op(a) b, or op(a) b^T; all n * n.
void multiply(char ta, char tb, Extent n, const double* a, const double* b, double* c) {
  const int size = base::to_int(n);
  const double one = 1, zero = 0;
  dgemm_(&ta, &tb, &size, &size, &size, &one, a, &size, b, &size, &zero, c, &size);
}

std::size_t pair_of(Extent p, Extent q) {
  return static_cast<std::size_t>(p >= q ? p * (p + 1) / 2 + q : q * (q + 1) / 2 + p);
}

/// (pq|rs) over orbitals, of pairs p >= q and r >= s.
class OrbitalIntegrals {
 public:
  OrbitalIntegrals(const Integrals& integrals, std::span<const double> coefficients)
      : n_(integrals.basis().function_count), pairs_(pair_of(n_, 0)), values_(pairs_ * pairs_) {
    half_transform(integrals, coefficients.data());
    transform_first_pairs(coefficients.data());
  }
  [[nodiscard]] double operator()(Extent p, Extent q, Extent r, Extent s) const {
    return values_[pair_of(p, q) * pairs_ + pair_of(r, s)];
  }

 private:
  /// Rows of functions (mu nu), each with all pairs of orbitals.
  void half_transform(const Integrals& integrals, const double* c) {
    IntegralEngine engine(integrals);
    const auto square = static_cast<std::size_t>(n_ * n_);
    std::vector<double> block, matrix(square), half(square);
    const auto& shells = integrals.basis().shells;
    for (std::size_t a = 0; a < shells.size(); ++a)
      for (std::size_t b = 0; b <= a; ++b) {
        const Extent na = shells[a].function_count, nb = shells[b].function_count;
        block.resize(static_cast<std::size_t>(na * nb) * square);
        engine.electron_repulsion({a, 1}, {b, 1}, integrals.all_shells(), integrals.all_shells(),
                                  block);
        for (Extent j = 0; j < nb; ++j)
          for (Extent i = 0; i < na; ++i) {
            const Extent mu = shells[a].first_function + i, nu = shells[b].first_function + j;
            if (nu > mu) continue;
            for (std::size_t k = 0; k < square; ++k)
              matrix[k] = block[static_cast<std::size_t>(i + na * j) +
                                k * static_cast<std::size_t>(na * nb)];
            multiply('T', 'N', n_, c, matrix.data(), half.data());
            multiply('N', 'N', n_, half.data(), c, matrix.data());
            keep(matrix, values_.data() + pair_of(mu, nu) * pairs_, 1);
          }
      }
  }

  void transform_first_pairs(const double* c) {
    const auto square = static_cast<std::size_t>(n_ * n_);
    std::vector<double> matrix(square), half(square);
    for (std::size_t rs = 0; rs < pairs_; ++rs) {
      for (Extent nu = 0; nu < n_; ++nu)
        for (Extent mu = 0; mu < n_; ++mu)
          matrix[static_cast<std::size_t>(mu + nu * n_)] = values_[pair_of(mu, nu) * pairs_ + rs];
      multiply('T', 'N', n_, c, matrix.data(), half.data());
      multiply('N', 'N', n_, half.data(), c, matrix.data());
      keep(matrix, values_.data() + rs, pairs_);
    }
  }

  void keep(const std::vector<double>& matrix, double* pairs, std::size_t stride) const {
    for (Extent p = 0; p < n_; ++p)
      for (Extent q = 0; q <= p; ++q)
        pairs[pair_of(p, q) * stride] = matrix[static_cast<std::size_t>(p + q * n_)];
  }

  Extent n_;
  std::size_t pairs_;
  std::vector<double> values_;
};

std::string value_line(double value, Extent p, Extent q, Extent r, Extent s) {
  return fmt::format(" {:>23.16e} {:>4} {:>4} {:>4} {:>4}\n", value, p, q, r, s);
}

/// Of the whole text at most: a line for each two pairs, each pair and the energy, and the head.
double text_bytes(Extent orbitals) {
  constexpr double line = 45, head = 100;  // up to 9999 orbitals
  const auto pairs = static_cast<double>(orbitals * (orbitals + 1) / 2);
  return line * (pairs * (pairs + 1) / 2 + pairs + 1) + head + 2 * static_cast<double>(orbitals);
}

/// h_pq with the mean field of the frozen orbitals.
std::vector<double> one_electron(const DumpedOrbitals& orbitals, const OrbitalIntegrals& v,
                                 Extent n) {
  const auto square = static_cast<std::size_t>(n * n);
  std::vector<double> half(square), h(square);
  multiply('T', 'N', n, orbitals.coefficients.data(), orbitals.core.data(), half.data());
  multiply('N', 'N', n, half.data(), orbitals.coefficients.data(), h.data());
  std::vector<double> with_core = h;
  for (Extent q = 0; q < n; ++q)
    for (Extent p = 0; p < n; ++p)
      for (Extent c = 0; c < orbitals.frozen; ++c)
        with_core[static_cast<std::size_t>(p + q * n)] += 2 * v(p, q, c, c) - v(p, c, c, q);
  return with_core;
}

/// Of the frozen orbitals and the nuclei: 2 h_cc + the repulsion, which 2 with_core_cc has twice.
double frozen_energy(const DumpedOrbitals& orbitals, const OrbitalIntegrals& v,
                     const std::vector<double>& with_core, Extent n) {
  double energy = orbitals.nuclear_energy;
  for (Extent c = 0; c < orbitals.frozen; ++c) {
    energy += 2 * with_core[static_cast<std::size_t>(c * (n + 1))];
    for (Extent d = 0; d < orbitals.frozen; ++d) energy -= 2 * v(c, c, d, d) - v(c, d, d, c);
  }
  return energy;
}

}  // namespace

double fcidump_bytes(Extent functions) {
  const auto pairs = static_cast<double>(functions * (functions + 1) / 2);
  return sizeof(double) * pairs * pairs + text_bytes(functions);
}

std::string fcidump_text(const Integrals& integrals, const DumpedOrbitals& orbitals) {
  const Extent n = integrals.basis().function_count;
  const auto square = static_cast<std::size_t>(n * n);
  base::require(orbitals.coefficients.size() == square && orbitals.core.size() == square,
                "as many orbitals as functions");
  const OrbitalIntegrals v(integrals, orbitals.coefficients);
  const std::vector<double> h = one_electron(orbitals, v, n);
  const Extent first = orbitals.frozen, active = n - first;
  std::string text;
  // Growing it would take twice or three times as much for a moment.
  text.reserve(static_cast<std::size_t>(text_bytes(active)));
  text +=
      fmt::format(" &FCI NORB={},NELEC={},MS2=0,\n  ORBSYM=", active, 2 * orbitals.active_occupied);
  for (Extent p = 0; p < active; ++p) text += "1,";
  text += "\n  ISYM=1,\n &END\n";
  for (Extent p = 0; p < active; ++p)
    for (Extent q = 0; q <= p; ++q)
      for (Extent r = 0; r <= p; ++r)
        for (Extent s = 0; s <= (r == p ? q : r); ++s) {
          const double value = v(p + first, q + first, r + first, s + first);
          if (std::abs(value) > least) text += value_line(value, p + 1, q + 1, r + 1, s + 1);
        }
  for (Extent p = 0; p < active; ++p)
    for (Extent q = 0; q <= p; ++q) {
      const double value = h[static_cast<std::size_t>(p + first + (q + first) * n)];
      if (std::abs(value) > least) text += value_line(value, p + 1, q + 1, 0, 0);
    }
  text += value_line(frozen_energy(orbitals, v, h, n), 0, 0, 0, 0);
  return text;
}

}  // namespace blockyard::qc
