// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/fragment_scf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "blockyard/base/error.h"
#include "blockyard/qc/detail/small_matrix.h"
#include "blockyard/qc/linear_algebra.h"

namespace blockyard::qc {
namespace {

using base::Errc;
using base::Error;
using detail::multiply;
using detail::transpose;
using Matrix = std::vector<double>;  // n*n, first index fastest

constexpr std::size_t most_functions = 60;
constexpr int most_iterations = 200;
constexpr double converged_gradient = 1e-10;  // hartree
constexpr double dependent_overlap = 1e-8;
constexpr std::size_t kept_matrices = 8;

double dot(const Matrix& a, const Matrix& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The integrals of the fragment.
struct Problem {
  std::size_t n = 0;
  std::size_t pairs = 0;  ///< of electrons
  Matrix overlap, core, repulsion;
  Matrix orthogonaliser;  ///< S^(-1/2)

  /// F(a,b) = h(a,b) + sum over c,d of D(c,d) [ (ab|cd) - 1/2 (ac|bd) ]
  [[nodiscard]] Matrix fock(const Matrix& density) const {
    Matrix f = core;
    for (std::size_t d = 0; d < n; ++d)
      for (std::size_t c = 0; c < n; ++c)
        for (std::size_t b = 0; b < n; ++b)
          for (std::size_t a = 0; a < n; ++a) {
            const double value = repulsion[a + n * (b + n * (c + n * d))];
            f[a + b * n] += density[c + d * n] * value;
            f[a + c * n] -= 0.5 * density[b + d * n] * value;
          }
    return f;
  }
  [[nodiscard]] FragmentOrbitals orbitals_of(const Matrix& f) const {
    Matrix vectors = multiply(multiply(orthogonaliser, f, n), orthogonaliser, n);
    FragmentOrbitals orbitals;
    orbitals.energies.resize(n);
    symmetric_eigenpairs(vectors, orbitals.energies);
    orbitals.coefficients = multiply(orthogonaliser, vectors, n);
    return orbitals;
  }
  /// D = 2 sum over occupied i of  C(.,i) C(.,i)^T
  [[nodiscard]] Matrix density_of(const FragmentOrbitals& orbitals) const {
    const Matrix& c = orbitals.coefficients;
    Matrix density(n * n, 0.0);
    for (std::size_t i = 0; i < pairs; ++i)
      for (std::size_t b = 0; b < n; ++b)
        for (std::size_t a = 0; a < n; ++a) density[a + b * n] += 2.0 * c[a + i * n] * c[b + i * n];
    return density;
  }
  /// S^(-1/2) (F D S - S D F) S^(-1/2)
  [[nodiscard]] Matrix gradient(const Matrix& f, const Matrix& density) const {
    Matrix result = multiply(multiply(f, density, n), overlap, n);
    const Matrix turned = transpose(result, n);
    for (std::size_t k = 0; k < result.size(); ++k) result[k] -= turned[k];
    return multiply(multiply(orthogonaliser, result, n), orthogonaliser, n);
  }
};

Matrix orthogonaliser_of(const Matrix& overlap, std::size_t n) {
  Matrix roots = overlap, vectors(n * n);
  if (eigen_calc_sqr_inv(roots, vectors, dependent_overlap) > 0)
    throw Error(Errc::bad_input, "the functions of the fragment are linearly dependent");
  return multiply(multiply(vectors, roots, n), transpose(vectors, n), n);
}

/// Electron pairs of the atoms.
std::size_t pairs_of(const Molecule& molecule, std::span<const std::size_t> atoms, std::size_t n) {
  std::int64_t electrons = 0;
  for (const std::size_t atom : atoms)
    electrons += static_cast<std::int64_t>(std::llround(molecule.atoms[atom].charge()));
  if (electrons % 2 != 0 || electrons / 2 > static_cast<std::int64_t>(n))
    throw Error(Errc::bad_input, fmt::format("the fragment has {} electrons in {} functions; it "
                                             "must be a neutral closed shell",
                                             electrons, n));
  return static_cast<std::size_t>(electrons / 2);
}

Problem problem_of(const Molecule& molecule, const AoBasis& basis, IntegralEngine& engine,
                   std::span<const std::size_t> atoms) {
  const ShellRange all = shells_of_atoms(basis, atoms);
  for (const PlacedCore& placed : basis.cores)
    if (std::ranges::find(atoms, placed.atom) != atoms.end())
      throw Error(Errc::bad_input, "fragments with effective cores are not done");
  Problem problem;
  for (std::size_t k = all.first; k < all.first + all.count; ++k)
    problem.n += static_cast<std::size_t>(basis.shells[k].function_count);
  const std::size_t n = problem.n;
  if (n > most_functions)
    throw Error(Errc::bad_input,
                fmt::format("the fragment has {} functions, more than the {} that are done", n,
                            most_functions));
  problem.pairs = pairs_of(molecule, atoms, n);
  problem.overlap.resize(n * n);
  problem.core.resize(n * n);
  problem.repulsion.resize(n * n * n * n);
  Matrix attraction(n * n);
  engine.overlap(all, all, problem.overlap);
  engine.kinetic(all, all, problem.core);
  engine.nuclear_attraction_of(atoms, all, all, attraction);
  for (std::size_t k = 0; k < n * n; ++k) problem.core[k] += attraction[k];
  engine.electron_repulsion(all, all, all, all, problem.repulsion);
  problem.orthogonaliser = orthogonaliser_of(problem.overlap, n);
  return problem;
}

/// The Fock matrix of the DIIS step over the last matrices and their gradients.
Matrix extrapolate(const std::deque<Matrix>& focks, const std::deque<Matrix>& gradients) {
  const std::size_t count = focks.size();
  Matrix products(count * count);
  for (std::size_t j = 0; j < count; ++j)
    for (std::size_t i = 0; i < count; ++i)
      products[i + j * count] = dot(gradients[i], gradients[j]);
  compute_diis(products);
  Matrix f(focks[0].size(), 0.0);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < f.size(); ++k) f[k] += products[i * (count + 1)] * focks[i][k];
  return f;
}

}  // namespace

ShellRange shells_of_atoms(const AoBasis& basis, std::span<const std::size_t> atoms) {
  ShellRange range;
  for (std::size_t k = 0; k < basis.shells.size(); ++k) {
    if (std::ranges::find(atoms, basis.shells[k].atom) == atoms.end()) continue;
    if (range.count == 0) range.first = k;
    if (range.first + range.count++ != k)
      throw Error(Errc::bad_input,
                  "the atoms of the fragment do not stand together in the molecule");
  }
  if (range.count == 0) throw Error(Errc::bad_input, "the fragment has no functions");
  return range;
}

FragmentOrbitals fragment_scf(const Molecule& molecule, const AoBasis& basis,
                              IntegralEngine& engine, std::span<const std::size_t> atoms,
                              std::span<const double> guess) {
  const Problem problem = problem_of(molecule, basis, engine, atoms);
  base::require(guess.size() == problem.n * problem.n, "the guess is a matrix of the fragment");
  Matrix density(guess.begin(), guess.end());
  std::deque<Matrix> focks, gradients;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    Matrix f = problem.fock(density);
    Matrix gradient = problem.gradient(f, density);
    const double square = dot(gradient, gradient);
    // The guess need not be a density of orbitals.
    if (iteration > 0 && std::sqrt(square) < converged_gradient) return problem.orbitals_of(f);
    if (square > 0.0) {  // DIIS has nothing to learn from a vector of zeros
      focks.push_back(std::move(f));
      gradients.push_back(std::move(gradient));
      if (focks.size() > kept_matrices) {
        focks.pop_front();
        gradients.pop_front();
      }
      f = extrapolate(focks, gradients);
    }
    density = problem.density_of(problem.orbitals_of(f));
  }
  throw Error(Errc::bad_input,
              fmt::format("the Hartree-Fock of the fragment does not converge in {} iterations",
                          most_iterations));
}

}  // namespace blockyard::qc
