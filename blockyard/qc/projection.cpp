// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/projection.h"

#include <algorithm>
#include <cmath>

#include "blockyard/base/error.h"
#include "blockyard/qc/detail/lapack.h"
#include "blockyard/qc/integrals.h"
#include "blockyard/qc/linear_algebra.h"

namespace blockyard::qc {

namespace {

/// Functions, or orbitals, that differ from a combination of others by less have no inverse.
constexpr double least_eigenvalue = 1e-8;

/// A matrix, first index fastest.
struct Matrix {
  int rows = 0;
  int columns = 0;
  std::vector<double> values;

  Matrix(Extent r, Extent c)
      : rows(static_cast<int>(r)),
        columns(static_cast<int>(c)),
        values(static_cast<std::size_t>(r * c)) {}
};

/// op(a) op(b), where 'T' transposes and 'N' does not.
Matrix product(char op_a, const Matrix& a, char op_b, const Matrix& b) {
  const int inner = op_a == 'T' ? a.rows : a.columns;
  base::require(inner == (op_b == 'T' ? b.columns : b.rows), "matrices that fit each other");
  Matrix c(op_a == 'T' ? a.columns : a.rows, op_b == 'T' ? b.rows : b.columns);
  if (c.values.empty() || inner == 0) return c;
  const double one = 1, zero = 0;
  dgemm_(&op_a, &op_b, &c.rows, &c.columns, &inner, &one, a.values.data(), &a.rows, b.values.data(),
         &b.rows, &zero, c.values.data(), &c.rows);
  return c;
}

/// a^power of a symmetric matrix, without the part whose eigenvalues are as good as zero.
/// `rank` becomes the number of the others.
Matrix power_of(Matrix a, double power, Extent& rank) {
  std::vector<double> eigenvalues(static_cast<std::size_t>(a.rows));
  rank = 0;
  if (eigenvalues.empty()) return a;
  symmetric_eigenpairs(a.values, eigenvalues);
  for (std::size_t k = 0; k < eigenvalues.size(); ++k) {
    const bool counts = eigenvalues[k] >= least_eigenvalue;
    const double factor = counts ? std::pow(eigenvalues[k], power / 2) : 0.0;
    rank += counts ? 1 : 0;
    for (double& x : std::span(a.values).subspan(k * eigenvalues.size(), eigenvalues.size()))
      x *= factor;
  }
  return product('N', a, 'T', a);
}

/// Both bases as one: the shells of `to`, then those of `from`, on the atoms of the molecule.
AoBasis joined(const Molecule& molecule, const AoBasis& from, const AoBasis& to) {
  AoBasis both = to;
  both.cores.clear();
  for (Shell shell : from.shells) {
    shell.center_bohr = molecule.atoms.at(shell.atom).position_bohr;
    shell.first_function += to.function_count;
    both.shells.push_back(std::move(shell));
  }
  both.function_count += from.function_count;
  return both;
}

}  // namespace

std::vector<double> project_orbitals(const Molecule& molecule, const AoBasis& from,
                                     const AoBasis& to, std::span<const double> coefficients) {
  if (from.spherical != to.spherical)
    throw base::Error(
        base::Errc::bad_input,
        "orbitals go from one basis to another only if both have spherical functions, "
        "or both Cartesian ones");
  base::require(coefficients.size() % static_cast<std::size_t>(from.function_count) == 0,
                "whole orbitals of the basis");
  const Integrals integrals(molecule, joined(molecule, from, to));
  IntegralEngine engine(integrals);
  const ShellRange new_shells{0, to.shells.size()};
  const ShellRange old_shells{to.shells.size(), from.shells.size()};
  Matrix overlap(to.function_count, to.function_count);
  Matrix mixed(to.function_count, from.function_count);
  engine.overlap(new_shells, new_shells, overlap.values);
  engine.overlap(new_shells, old_shells, mixed.values);

  Matrix old(from.function_count, std::ssize(coefficients) / from.function_count);
  std::ranges::copy(coefficients, old.values.begin());
  Extent rank = 0;
  const Matrix fitted =
      product('N', power_of(overlap, -1, rank), 'N', product('N', mixed, 'N', old));
  const Matrix metric = product('T', fitted, 'N', product('N', overlap, 'N', fitted));
  const Matrix orthonormal = product('N', fitted, 'N', power_of(metric, -0.5, rank));
  if (rank < old.columns)
    throw base::Error(base::Errc::bad_input,
                      "the basis has too few functions for the orbitals of the guess");
  return orthonormal.values;
}

}  // namespace blockyard::qc
