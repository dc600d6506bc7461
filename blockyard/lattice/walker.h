// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "blockyard/base/fields.h"
#include "blockyard/lattice/hubbard.h"
#include "blockyard/lattice/sample.h"

namespace blockyard::lattice {

/// Uniform numbers of one walker: Philox 4 x 64 keyed by seed and walker, so that they depend on
/// neither ranks nor the order of walkers. Values, one thread.
class WalkerRandom {
 public:
  WalkerRandom(std::uint64_t seed, std::uint64_t walker) : seed_(seed), walker_(walker) {}
  /// In [0, 1).
  [[nodiscard]] double uniform() noexcept;
  [[nodiscard]] int below(int count) noexcept;
  /// Saving and restoring continues the stream where it was.
  void save(base::FieldWriter& out) const { out.fields(counter_, block_, left_); }
  void load(base::FieldReader& in) { in.fields(counter_, block_, left_); }

 private:
  std::uint64_t seed_;
  std::uint64_t walker_;
  std::uint64_t counter_ = 0;
  std::array<std::uint64_t, 4> block_{};
  int left_ = 0;
};

/// The inverse of a matrix that grows and shrinks by a row and column. First index fastest, columns
/// `capacity` apart.
class GrowingInverse {
 public:
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] double at(int i, int j) const noexcept { return values_[index(i, j)]; }
  /// The ratio of determinants after and before a last row and column are added: `column` is
  /// D(i, new), `row` is D(new, j), `corner` D(new, new). grow() uses what this computed.
  [[nodiscard]] double ratio(const std::vector<double>& column, const std::vector<double>& row,
                             double corner);
  void grow();
  /// The ratio without row and column k, and the change: the last ones come to their place.
  [[nodiscard]] double ratio_without(int k) const noexcept { return at(k, k); }
  void shrink(int k);
  /// The sum of squares of all elements; that after grow(), and that after shrink(k).
  [[nodiscard]] double squares() const noexcept;
  [[nodiscard]] double squares_grown() const noexcept;
  [[nodiscard]] double squares_without(int k) const noexcept;
  /// Replaces it by the inverse of `matrix`, size x size. Throws Error{internal} if there is none.
  void assign(std::vector<double> matrix, int size);
  void save(base::FieldWriter& out) const;
  void load(base::FieldReader& in);

 private:
  [[nodiscard]] std::size_t index(int i, int j) const noexcept {
    return static_cast<std::size_t>(j) * capacity_ + static_cast<std::size_t>(i);
  }
  void reserve(int size);
  std::size_t capacity_ = 0;
  int size_ = 0;
  std::vector<double> values_;
  std::vector<double> left_, right_;  ///< M times column, row times M
  double lambda_ = 1;
};

/// Interaction expansion in continuous time: Rubtsov, Savkin, Lichtenstein, Phys. Rev. B 72, 035122
/// (2005). A vertex is (band, site, tau, x) with x = +1 or -1, and D^s_ij = g0(i, j) - alpha_i^s
/// delta_ij with alpha^s = 1/2 + s x (1/2 + d), M = D^-1. For U < 0 both spins have that of spin
/// up: the determinants are the same, and no weight is negative.
///
/// Where det D is small M is large: such configurations are rare, but without them G4 is off by
/// more than the spread of the others tells. So once the walker is guided it samples |weight| g,
/// and a sample counts 1 / g:
///   g = max(1, x / (3 x0)),  x = |M up| |M down| (Frobenius norms), x0 its geometric mean before.
/// Then what a sample adds to G4 is bounded. One thread.
class Walker {
 public:
  /// bare stays. shift: d, positive.
  Walker(const Hubbard& model, const BareTime& bare, std::uint64_t seed, std::uint64_t number,
         double shift = default_shift);
  /// Proposed insertions and removals that let about all vertices change.
  void sweep();
  [[nodiscard]] Sample sample() const;
  [[nodiscard]] int order() const noexcept { return static_cast<int>(vertices_.size()); }
  [[nodiscard]] double sign() const noexcept { return sign_; }
  /// Notes x of this configuration; from guide() on configurations are guided by what was noted.
  void note();
  void guide();
  /// 1 / g.
  [[nodiscard]] double weight() const noexcept { return 1 / guidance_; }
  /// The largest residue |D M - 1| found before M was recomputed.
  [[nodiscard]] double worst_residue() const noexcept { return worst_residue_; }

  /// All that changes, for a walker of the same model, seed and number that continues with the same
  /// bits.
  void save(base::FieldWriter& out) const;
  void load(base::FieldReader& in);

 private:
  struct Choice {
    Vertex vertex;
    int x = 1;
  };
  [[nodiscard]] double alpha(int spin, int x) const noexcept;
  [[nodiscard]] double element(int spin, const Choice& row, const Choice& column,
                               bool is_same) const noexcept;
  /// g, from the sums of squares of both matrices.
  [[nodiscard]] double guidance(double up, double down) const noexcept;
  void propose_insertion();
  void propose_removal();
  void check_residue();
  [[nodiscard]] std::vector<double> matrix(int spin) const;
  [[nodiscard]] double residue(int spin, const std::vector<double>& matrix) const;

  Hubbard model_;
  const BareTime& bare_;
  double shift_;
  WalkerRandom random_;
  std::vector<Choice> vertices_;
  std::array<GrowingInverse, 2> inverse_;
  std::vector<double> row_, column_;
  double sign_ = 1;
  double guidance_ = 1;  ///< g
  double most_ = 0;      ///< 3 x0; 0: not guided
  double noted_ = 0;     ///< sum of log x
  std::int64_t notes_ = 0;
  double worst_residue_ = 0;
  int steps_of_sweep_;
  int changes_ = 0;
  bool is_worn_ = false;  ///< M went through a large g since it was looked at
};

}  // namespace blockyard::lattice
