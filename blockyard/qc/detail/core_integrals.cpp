// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/detail/core_integrals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "blockyard/qc/detail/local_core.h"

// Its warnings are not ours.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wall"
#include <libecpint.hpp>
#include <libecpint/mathutil.hpp>
#include <libecpint/qgen.hpp>
#pragma GCC diagnostic pop

namespace blockyard::qc::detail {
namespace {

/// Rows: the functions of a shell; columns: the Cartesian ones of its angular momentum; row
/// fastest.
struct ToFunctions {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;
  [[nodiscard]] double operator()(std::size_t row, std::size_t column) const {
    return values[row + rows * column];
  }
};

ToFunctions to_functions(const libint2::Shell& shell) {
  const auto& [l, pure, coefficients] = shell.contr[0];
  const auto cartesian = static_cast<std::size_t>((l + 1) * (l + 2) / 2);
  ToFunctions to{shell.size(), cartesian, std::vector<double>(shell.size() * cartesian, 0.0)};
  if (!pure) {
    for (std::size_t k = 0; k < cartesian; ++k) to.values[k * (cartesian + 1)] = 1.0;
    return to;
  }
  const auto& harmonics = libint2::solidharmonics::SolidHarmonicsCoefficients<double>::instance(
      static_cast<unsigned int>(l));
  for (std::size_t m = 0; m < to.rows; ++m)
    for (std::size_t k = 0; k < harmonics.nnz(m); ++k)
      to.values[m + to.rows * harmonics.row_idx(m)[k]] = harmonics.row_values(m)[k];
  return to;
}

libecpint::GaussianShell primitives_of(const libint2::Shell& shell) {
  libecpint::GaussianShell result(std::array<double, 3>{shell.O[0], shell.O[1], shell.O[2]},
                                  shell.contr[0].l);
  result.atom_id = 0;  // of derivatives only
  for (std::size_t p = 0; p < shell.alpha.size(); ++p)
    result.addPrim(shell.alpha[p], shell.contr[0].coeff[p]);
  return result;
}

/// The parts of l = 0, 1, ... of a potential. A local part of 0 says up to which l they go.
libecpint::ECP semilocal_part(const PlacedCore& placed) {
  libecpint::ECP potential(placed.center_bohr.data());
  const auto& parts = placed.core.parts;
  for (const RadialPotential& part : parts)
    for (std::size_t k = 0; k < part.powers.size(); ++k)
      potential.addPrimitive(part.powers[k], part.angular_momentum, part.exponents[k],
                             &part == parts.data() ? 0.0 : part.coefficients[k], false);
  potential.sort();
  return potential;
}

int highest_momentum(const AoBasis& basis) {
  int highest = 0;
  for (const Shell& shell : basis.shells)
    highest = std::max(highest, shell.contraction.angular_momentum);
  return highest;
}

int highest_core_momentum(const AoBasis& basis) {
  int highest = 0;
  for (const PlacedCore& placed : basis.cores)
    highest = std::max(highest, placed.core.parts[0].angular_momentum);
  return highest;
}

/// Where two shells stand as seen from a potential.
libecpint::ShellPairData places_of(const libecpint::ECP& potential,
                                   const libecpint::GaussianShell& a,
                                   const libecpint::GaussianShell& b) {
  constexpr double at_centre_bohr = 1e-6;  // as in libecpint
  libecpint::ShellPairData pair{};
  pair.LA = a.am();
  pair.LB = b.am();
  pair.maxLBasis = std::max(pair.LA, pair.LB);
  pair.ncartA = a.ncartesian();
  pair.ncartB = b.ncartesian();
  for (std::size_t k = 0; k < 3; ++k) {
    pair.A[k] = a.center()[k] - potential.center_[k];
    pair.B[k] = b.center()[k] - potential.center_[k];
  }
  pair.Am = std::hypot(pair.A[0], pair.A[1], pair.A[2]);
  pair.Bm = std::hypot(pair.B[0], pair.B[1], pair.B[2]);
  pair.RABm = std::hypot(pair.A[0] - pair.B[0], pair.A[1] - pair.B[1], pair.A[2] - pair.B[2]);
  pair.A2 = pair.Am * pair.Am;
  pair.B2 = pair.Bm * pair.Bm;
  pair.RAB2 = pair.RABm * pair.RABm;
  pair.A_on_ecp = pair.Am < at_centre_bohr;
  pair.B_on_ecp = pair.Bm < at_centre_bohr;
  return pair;
}

/// The expansion of one shell about the centre of a potential.
struct Expansion {
  libecpint::FiveIndex<double> binomials;
  libecpint::TwoIndex<double> harmonics;
};

Expansion expand(const libecpint::ECPIntegral& engine, const double* place, int l, int cartesian,
                 int highest) {
  Expansion result{{1, cartesian, l + 1, l + 1, l + 1}, {}};
  engine.makeC(result.binomials, l, place);
  const double distance = std::hypot(place[0], place[1], place[2]);
  result.harmonics = libecpint::realSphericalHarmonics(highest + l, place[2] / distance,
                                                       std::atan2(place[1], place[0]));
  return result;
}

}  // namespace

struct CoreIntegrals::Data {
  Data(int momentum, int core_momentum) : engine(momentum, core_momentum) {
    angular.init(momentum, core_momentum);
    angular.compute();
    radial.init(2 * momentum + core_momentum);
  }

  /// Adds the parts of l = 0, 1, ... for shells that both stand elsewhere. For these libecpint
  /// 1.0.7 has formulas with constants of six digits, and recurrences that lose all digits for f
  /// shells and l = 3 (relative errors of 2e-6 and 1e-2); its quadratures are exact to 1e-13.
  void add_semilocal(const libecpint::ECP& potential, const libecpint::GaussianShell& a,
                     const libecpint::GaussianShell& b, const libecpint::ShellPairData& pair,
                     libecpint::TwoIndex<double>& values) const {
    constexpr double negligible = 1e-14;  // hartree
    const int momenta = potential.getL();
    std::vector<double> bounds(static_cast<std::size_t>(momenta) + 1);
    engine.estimate_type2(potential, a, b, pair, bounds.data());
    if (*std::max_element(bounds.begin(), bounds.end() - 1) < negligible) return;
    const auto parameters = radial.buildParameters(a, b, pair);
    const Expansion left = expand(engine, pair.A, pair.LA, pair.ncartA, momenta);
    const Expansion right = expand(engine, pair.B, pair.LB, pair.ncartB, momenta);
    for (int l = 0; l < momenta; ++l) {
      if (bounds[static_cast<std::size_t>(l)] < negligible) continue;
      libecpint::ThreeIndex<double> radials(pair.LA + pair.LB + 1, l + pair.LA + 1,
                                            l + pair.LB + 1);
      libecpint::TwoIndex<double> of_power;
      for (int n = 0; n <= pair.LA + pair.LB; ++n) {
        radial.type2(l, 0, l + pair.LA, 0, l + pair.LB, n, potential, a, b, pair, parameters,
                     of_power);
        for (int i = 0; i <= l + pair.LA; ++i)
          for (int j = 0; j <= l + pair.LB; ++j) radials(n, i, j) = of_power(i, j);
      }
      libecpint::ThreeIndex<double> of_component(pair.ncartA, pair.ncartB, 2 * l + 1);
      std::fill(of_component.data.begin(), of_component.data.end(), 0.0);
      libecpint::qgen::rolled_up(l, pair.LA, pair.LB, radials, left.binomials, right.binomials,
                                 left.harmonics, right.harmonics, angular, of_component);
      for (int i = 0; i < pair.ncartA; ++i)
        for (int j = 0; j < pair.ncartB; ++j)
          for (int m = 0; m <= 2 * l; ++m) values(i, j) += of_component(i, j, m);
    }
  }

  libecpint::ECPIntegral engine;
  libecpint::AngularIntegral angular;
  libecpint::RadialIntegral radial;
  LocalCore local;
  std::vector<PlacedCore> cores;
  std::vector<libecpint::ECP> semilocal;  // of each core
  std::vector<libint2::Shell> libint_shells;
  std::vector<libecpint::GaussianShell> shells;
  std::vector<ToFunctions> functions;
};

CoreIntegrals::CoreIntegrals(const AoBasis& basis, std::span<const libint2::Shell> shells) {
  auto data = std::make_unique<Data>(highest_momentum(basis), highest_core_momentum(basis));
  data->cores = basis.cores;
  data->libint_shells.assign(shells.begin(), shells.end());
  for (const PlacedCore& placed : basis.cores) data->semilocal.push_back(semilocal_part(placed));
  for (const libint2::Shell& shell : shells) {
    data->shells.push_back(primitives_of(shell));
    data->functions.push_back(to_functions(shell));
  }
  data_ = std::move(data);
}

CoreIntegrals::~CoreIntegrals() = default;

std::vector<double> CoreIntegrals::of_pair(std::size_t a, std::size_t b) const {
  const ToFunctions& left = data_->functions[a];
  const ToFunctions& right = data_->functions[b];
  std::vector<double> cartesian(left.columns * right.columns, 0.0);  // that of b fastest
  const libecpint::GaussianShell& one = data_->shells[a];
  const libecpint::GaussianShell& other = data_->shells[b];
  for (std::size_t k = 0; k < data_->cores.size(); ++k) {
    const PlacedCore& placed = data_->cores[k];
    data_->local.add(placed.core.parts[0], placed.center_bohr, data_->libint_shells[a],
                     data_->libint_shells[b], cartesian);
    const libecpint::ECP& potential = data_->semilocal[k];
    const auto pair = places_of(potential, one, other);
    libecpint::TwoIndex<double> values(pair.ncartA, pair.ncartB, 0.0);
    if (pair.A_on_ecp || pair.B_on_ecp)
      data_->engine.compute_shell_pair(potential, one, other, values);
    else
      data_->add_semilocal(potential, one, other, pair, values);
    std::transform(cartesian.begin(), cartesian.end(), values.data.begin(), cartesian.begin(),
                   std::plus<>());
  }
  std::vector<double> half(left.rows * right.columns, 0.0);
  for (std::size_t y = 0; y < right.columns; ++y)
    for (std::size_t x = 0; x < left.columns; ++x)
      for (std::size_t i = 0; i < left.rows; ++i)
        half[i + left.rows * y] += left(i, x) * cartesian[y + right.columns * x];
  std::vector<double> result(left.rows * right.rows, 0.0);
  for (std::size_t y = 0; y < right.columns; ++y)
    for (std::size_t j = 0; j < right.rows; ++j)
      for (std::size_t i = 0; i < left.rows; ++i)
        result[i + left.rows * j] += half[i + left.rows * y] * right(j, y);
  return result;
}

}  // namespace blockyard::qc::detail
