// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "blockyard/qc/detail/libint_shell.h"

/// General contractions: shells that are made of the same primitives. Repulsion integrals over k
/// such shells of n primitives each take n^4 k^4 steps shell by shell, and n^4 over primitives that
/// are contracted afterwards.
namespace blockyard::qc::detail {

/// Shells that follow one another on an atom, of one angular momentum, that share primitives.
struct ShellFamily {
  std::size_t first = 0;
  std::size_t count = 0;
  std::vector<libint2::Shell> primitives;  ///< each of norm 1
  std::vector<double> coefficients;        ///< [primitive + primitives * shell]
  std::size_t written = 0;                 ///< primitives of all shells together
};

/// All shells, each in one family, which may have it alone. `atoms`: of each shell.
[[nodiscard]] std::vector<ShellFamily> families_of(std::span<const libint2::Shell> shells,
                                                   std::span<const std::size_t> atoms);

/// Shells of a family that follow one another.
struct FamilyPiece {
  const ShellFamily* family = nullptr;
  std::size_t first = 0;
  std::size_t count = 0;
  [[nodiscard]] std::size_t end() const { return first + count; }
};

/// Whether it is faster to compute the quartets of these shells over primitives.
[[nodiscard]] bool pays_by_primitives(const std::array<FamilyPiece, 4>& pieces);

/// About which part of the steps of a shell is left where that is done; 1 if it never is.
[[nodiscard]] double primitive_share(const ShellFamily& family);

/// Computes all quartets of the shells of four pieces over primitives. One thread.
class FamilyQuartets {
 public:
  /// The integrals (dc|ba) of one quartet, a fastest; null: they are negligible.
  using Compute = std::function<const double*(
      const libint2::Shell& d, const libint2::Shell& c, const libint2::Shell& b,
      const libint2::Shell& a, const libint2::ShellPair& dc, const libint2::ShellPair& ba)>;

  /// `ln_threshold`: of pairs of primitives.
  void compute(const std::array<FamilyPiece, 4>& pieces, double ln_threshold,
               const Compute& compute);
  /// (ab|cd) of the shells with these numbers, a fastest. After compute.
  [[nodiscard]] const double* quartet(const std::array<std::size_t, 4>& shells) const;

 private:
  /// half_ = integrals over the shells of a and b, and over one primitive of c and one of d.
  void contract_bra(const std::array<FamilyPiece, 4>& pieces, std::size_t c, std::size_t d,
                    const libint2::ShellPair& ket, const Compute& compute);

  std::array<FamilyPiece, 4> pieces_;
  std::size_t size_ = 0;  // of a quartet
  std::vector<libint2::ShellPair> bra_;
  std::vector<double> one_;      // [quartet, b]: a is a primitive
  std::vector<double> half_;     // [quartet, a, b]
  std::vector<double> quarter_;  // [quartet, a, b, d]: c is a primitive
  std::vector<double> all_;      // [quartet, a, b, d, c]
};

}  // namespace blockyard::qc::detail
