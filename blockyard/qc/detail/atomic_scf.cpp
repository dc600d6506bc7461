// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/detail/atomic_scf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "blockyard/base/error.h"
#include "blockyard/qc/atomic_density.h"
#include "blockyard/qc/configuration.h"
#include "blockyard/qc/detail/small_matrix.h"
#include "blockyard/qc/element.h"
#include "blockyard/qc/linear_algebra.h"

namespace blockyard::qc::detail {
namespace {

using Radial = std::vector<double>;

/// Error vectors of DIIS:  X (F D S - S D F) X  of every l.
Radial orbital_gradient(const AtomicProblem& problem, const RadialMatrices& fock,
                        const RadialMatrices& density, const RadialMatrices& x) {
  Radial error;
  for (std::size_t l = 0; l < problem.momenta(); ++l) {
    const std::size_t n = problem.count(l);
    Radial part = multiply(multiply(fock[l], density[l], n), problem.overlap()[l], n);
    const Radial mirror = transpose(part, n);
    std::transform(part.begin(), part.end(), mirror.begin(), part.begin(), std::minus<>());
    part = multiply(multiply(x[l], part, n), x[l], n);
    error.insert(error.end(), part.begin(), part.end());
  }
  return error;
}

double dot(const Radial& a, const Radial& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

/// Fock matrices of the DIIS step over the last few iterations.
class Extrapolation {
 public:
  RadialMatrices step(RadialMatrices fock, Radial error) {
    constexpr std::size_t kept = 8;
    focks_.push_back(std::move(fock));
    errors_.push_back(std::move(error));
    if (focks_.size() > kept) {
      focks_.pop_front();
      errors_.pop_front();
    }
    const std::size_t count = focks_.size();
    Radial products(count * count);
    for (std::size_t j = 0; j < count; ++j)
      for (std::size_t i = 0; i < count; ++i) products[i + j * count] = dot(errors_[i], errors_[j]);
    compute_diis(products);
    RadialMatrices result = focks_[0];
    for (auto& part : result) std::fill(part.begin(), part.end(), 0.0);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t l = 0; l < result.size(); ++l)
        for (std::size_t k = 0; k < result[l].size(); ++k)
          result[l][k] += products[i * (count + 1)] * focks_[i][l][k];
    return result;
  }

 private:
  std::deque<RadialMatrices> focks_;
  std::deque<Radial> errors_;
};

/// S^(-1/2) of the functions of one l.
Radial inverse_root(Radial overlap, std::size_t n) {
  if (n == 0) return {};
  Radial vectors(n * n);
  eigen_calc_sqr_inv(overlap, vectors, 1e-10);
  return multiply(multiply(vectors, overlap, n), transpose(vectors, n), n);
}

/// Electrons of one component fill the lowest orbitals of its l, two in each, the rest in the next.
Radial aufbau(const Radial& fock, const Radial& x, std::size_t n, double electrons) {
  Radial density(n * n, 0.0);
  if (n == 0) return density;
  Radial energies = multiply(multiply(x, fock, n), x, n);
  Radial vectors(n * n);
  eigen_calc(energies, vectors);
  const Radial orbitals = multiply(x, vectors, n);
  for (std::size_t i = 0; i < n && electrons > 0.0; ++i) {
    const double occupation = std::min(2.0, electrons);
    electrons -= occupation;
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t a = 0; a < n; ++a)
        density[a + b * n] += occupation * orbitals[a + i * n] * orbitals[b + i * n];
  }
  return density;
}

void check_room(const AtomicProblem& problem, const std::array<int, 4>& electrons,
                int atomic_number) {
  for (std::size_t l = 0; l < electrons.size(); ++l) {
    const std::size_t functions = l < problem.momenta() ? problem.count(l) * (2 * l + 1) : 0;
    if (static_cast<std::size_t>(electrons[l]) > 2 * functions)
      throw base::Error(base::Errc::bad_input,
                        fmt::format("the basis has too few functions for the electrons of {}",
                                    element_symbol(atomic_number)));
  }
}

/// Electrons that are not in the effective core.
std::array<int, 4> outer_electrons(const FreeAtom& atom) {
  auto electrons = atomic_configuration(atom.atomic_number);
  const auto core = core_configuration(atom.core_electrons());
  int missing = 0;  // of a core with shells that the ground state does not fill
  for (std::size_t l = 0; l < electrons.size(); ++l) {
    electrons[l] -= core[l];
    missing += std::min(0, electrons[l]);
    electrons[l] = std::max(0, electrons[l]);
  }
  for (int& of_l : electrons) {
    const int taken = std::min(of_l, -missing);
    of_l -= taken;
    missing += taken;
  }
  return electrons;
}

}  // namespace

RadialMatrices atomic_scf(const FreeAtom& atom, const std::vector<Contraction>& sorted) {
  const AtomicProblem problem(atom, sorted);
  const auto electrons = outer_electrons(atom);
  check_room(problem, electrons, atom.atomic_number);
  RadialMatrices x;
  for (std::size_t l = 0; l < problem.momenta(); ++l)
    x.push_back(inverse_root(problem.overlap()[l], problem.count(l)));
  const auto fill = [&](const RadialMatrices& fock) {
    RadialMatrices density;
    for (std::size_t l = 0; l < problem.momenta(); ++l) {
      const double share =
          l < electrons.size() ? electrons[l] / static_cast<double>(2 * l + 1) : 0.0;
      density.push_back(aufbau(fock[l], x[l], problem.count(l), share));
    }
    return density;
  };
  RadialMatrices density = fill(problem.fock(RadialMatrices(problem.momenta())));
  Extrapolation diis;
  for (int iteration = 0; iteration < 200; ++iteration) {
    auto fock = problem.fock(density);
    auto error = orbital_gradient(problem, fock, density, x);
    if (std::sqrt(dot(error, error)) < 1e-6) return density;
    density = fill(diis.step(std::move(fock), std::move(error)));
  }
  throw base::Error(base::Errc::bad_input,
                    fmt::format("the atomic density of {} does not converge in this basis; use "
                                "the core guess",
                                element_symbol(atom.atomic_number)));
}

}  // namespace blockyard::qc::detail
