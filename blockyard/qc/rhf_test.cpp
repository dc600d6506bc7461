// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "blockyard/qc/atomic_density.h"
#include "blockyard/qc/linear_algebra.h"
#include "blockyard/qc/test_support.h"

// A whole restricted Hartree-Fock of the functions of this room, with plain loops in between.
// References: shared/chem_refs.json (PySCF 2.14.0, cross-checked with Psi4).
namespace blockyard::qc {
namespace {

using Matrix = std::vector<double>;  // n*n, first index fastest

Matrix multiply(const Matrix& a, const Matrix& b, std::size_t n) {
  Matrix c(n * n, 0.0);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < n; ++i) c[i + j * n] += a[i + k * n] * b[k + j * n];
  return c;
}

Matrix transpose(const Matrix& a, std::size_t n) {
  Matrix t(n * n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) t[j + i * n] = a[i + j * n];
  return t;
}

double dot(const Matrix& a, const Matrix& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

/// The integrals of a molecule, all functions in one block.
struct Problem {
  std::size_t n;
  std::size_t pairs;  // of electrons
  double nuclear;
  Matrix overlap, core, repulsion;

  Problem(const Molecule& molecule, const Integrals& integrals)
      : n(static_cast<std::size_t>(integrals.basis().function_count)),
        pairs(static_cast<std::size_t>(beta_count(molecule))),
        nuclear(nuclear_repulsion(nuclear_charges(molecule), positions(molecule))),
        overlap(n * n),
        core(n * n),
        repulsion(n * n * n * n) {
    IntegralEngine engine(integrals);
    const auto all = integrals.all_shells();
    Matrix attraction(n * n);
    engine.overlap(all, all, overlap);
    engine.kinetic(all, all, core);
    engine.nuclear_attraction(all, all, attraction);
    for (std::size_t k = 0; k < n * n; ++k) core[k] += attraction[k];
    engine.electron_repulsion(all, all, all, all, repulsion);
  }

  /// F(a,b) = h(a,b) + sum over c,d of D(c,d) [ (ab|cd) - 1/2 (ac|bd) ]
  Matrix fock(const Matrix& density) const {
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

  /// S^(-1/2)
  Matrix orthogonaliser() const {
    Matrix values = overlap;
    Matrix vectors(n * n);
    EXPECT_EQ(eigen_calc_sqr_inv(values, vectors, 1e-9), 0);
    return multiply(multiply(vectors, values, n), transpose(vectors, n), n);
  }

  /// D = 2 sum over occupied i of  C(.,i) C(.,i)^T
  Matrix density_of(const Matrix& f, const Matrix& x) const {
    Matrix values = multiply(multiply(x, f, n), x, n);
    Matrix vectors(n * n);
    eigen_calc(values, vectors);
    const Matrix c = multiply(x, vectors, n);
    Matrix density(n * n, 0.0);
    for (std::size_t i = 0; i < pairs; ++i)
      for (std::size_t b = 0; b < n; ++b)
        for (std::size_t a = 0; a < n; ++a) density[a + b * n] += 2.0 * c[a + i * n] * c[b + i * n];
    return density;
  }
};

/// X (F D S - S D F) X
Matrix orbital_gradient(const Problem& p, const Matrix& f, const Matrix& d, const Matrix& x) {
  Matrix fds = multiply(multiply(f, d, p.n), p.overlap, p.n);
  const Matrix sdf = transpose(fds, p.n);
  for (std::size_t k = 0; k < fds.size(); ++k) fds[k] -= sdf[k];
  return multiply(multiply(x, fds, p.n), x, p.n);
}

/// The Fock matrix of the DIIS step over the last matrices and their errors.
Matrix extrapolate(const std::deque<Matrix>& focks, const std::deque<Matrix>& errors) {
  const std::size_t count = focks.size();
  Matrix products(count * count);
  for (std::size_t j = 0; j < count; ++j)
    for (std::size_t i = 0; i < count; ++i) products[i + j * count] = dot(errors[i], errors[j]);
  compute_diis(products);
  Matrix f(focks[0].size(), 0.0);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < f.size(); ++k) f[k] += products[i * (count + 1)] * focks[i][k];
  return f;
}

double rhf_energy_hartree(const Molecule& molecule, const Integrals& integrals) {
  const Problem p(molecule, integrals);
  const Matrix x = p.orthogonaliser();
  Matrix density = atomic_densities(molecule, integrals.basis());
  std::deque<Matrix> focks;
  std::deque<Matrix> errors;
  for (int iteration = 0; iteration < 50; ++iteration) {
    Matrix f = p.fock(density);
    const double energy = 0.5 * (dot(density, p.core) + dot(density, f)) + p.nuclear;
    Matrix error = orbital_gradient(p, f, density, x);
    if (iteration > 0 && std::sqrt(dot(error, error)) < 1e-8) return energy;
    focks.push_back(std::move(f));
    errors.push_back(std::move(error));
    if (focks.size() > 6) {
      focks.pop_front();
      errors.pop_front();
    }
    density = p.density_of(extrapolate(focks, errors), x);
  }
  ADD_FAILURE() << "the iterations do not converge";
  return 0.0;
}

struct Reference {
  std::string_view geometry;  // angstrom
  std::string_view basis;
  bool spherical;
  Extent functions;
  double nuclear_hartree;
  double scf_hartree;
};

class RestrictedHartreeFock : public ::testing::TestWithParam<Reference> {};

TEST_P(RestrictedHartreeFock, reproduces_the_reference_energies) {
  const Reference& expected = GetParam();
  const Molecule molecule = testing::molecule_of(expected.geometry);
  check_molecule(molecule);
  const auto integrals = testing::integrals_of(molecule, expected.basis, expected.spherical);
  EXPECT_EQ(integrals.basis().function_count, expected.functions);
  EXPECT_NEAR(nuclear_repulsion(nuclear_charges(molecule), positions(molecule)),
              expected.nuclear_hartree, 1e-10);
  EXPECT_NEAR(rhf_energy_hartree(molecule, integrals), expected.scf_hartree, 1e-8);
}

/// What a failing test prints of its parameter.
void PrintTo(const Reference& reference, std::ostream* out) {
  *out << reference.functions << " functions of " << reference.basis;
}

INSTANTIATE_TEST_SUITE_P(
    Molecules, RestrictedHartreeFock,
    ::testing::Values(
        Reference{"O 0.0 -0.07579183813472694 0.0\n"
                  "H 0.8668117665907855 0.6014357359898315 0.0\n"
                  "H -0.8668117665907855 0.6014357359898315 0.0\n",
                  "sto-3g", true, 7, 8.00236706181077, -74.94207992819236},
        Reference{testing::water, "6-31g*", true, 18, 9.189533762934902, -76.00910803237781},
        Reference{testing::water, "6-31g*", false, 19, 9.189533762934902, -76.01050498825715},
        Reference{testing::water, "cc-pvdz", true, 24, 9.189533762934902, -76.02677205339413},
        Reference{"F 0 0 0\n"
                  "H 0 0 0.9168\n",
                  "cc-pvdz", true, 19, 5.194802463219896, -100.01941870308701}));

}  // namespace
}  // namespace blockyard::qc
