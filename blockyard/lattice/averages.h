// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "blockyard/base/fields.h"
#include "blockyard/fabric/fabric.h"
#include "blockyard/lattice/exact_bounds.h"
#include "blockyard/lattice/green.h"
#include "blockyard/lattice/problem.h"

namespace blockyard::lattice {

/// Sums over samples of the sign f and of f G(k, w), by bin; G(k, w) = G(k, k, w, w) / beta for
/// each spin and pair of bands. As doubles, or as exact sums whose bits depend on no order; f and G
/// have a scale each. One thread.
class Averages {
 public:
  Averages(const Problem& problem, const Cluster& cluster, int bins,
           std::optional<ExactScales> exact);

  void add(const Sample& sample, int bin);
  /// tiles: the Green's function of a sample in the order of TileSet::all.
  void add(std::span<const double> tiles, Complex sign, int bin);
  /// Collective. From now on the sums are those of all ranks.
  void reduce(fabric::Fabric& fabric);
  /// All sums become zero.
  void clear();
  void save(base::FieldWriter& out) const { out.fields(doubles_, integers_, squares_, fourth_); }
  void load(base::FieldReader& in);

  [[nodiscard]] int bins() const noexcept { return bins_; }
  [[nodiscard]] double count(int bin) const;
  [[nodiscard]] Complex sign(int bin) const;
  [[nodiscard]] double count() const;
  /// Sum of |f|: the average sign is sign() / weight().
  [[nodiscard]] double weight() const;
  [[nodiscard]] Complex sign() const;
  /// Error of the average sign: by jackknife where two or more bins have samples, which may be
  /// correlated then; else that of independent samples.
  [[nodiscard]] double sign_error() const;
  [[nodiscard]] bool has_bins() const;
  /// Empty, or why nothing can be divided by the average sign: it is zero within its error.
  [[nodiscard]] std::string why_undivided() const;

  /// How many samples carry the variance of two-particle functions: a few of many say that their
  /// distribution has a heavy tail, and error bars from it are too small. Measured at
  /// |f| max |G up| max |G down| of each sample, (sum of squares)^2 / sum of fourth powers.
  [[nodiscard]] double effective_samples() const noexcept {
    return fourth_ > 0 ? squares_ * squares_ / fourth_ : 0;
  }

  /// Sums of f G by (b1, b2, s, k, w), without division.
  [[nodiscard]] std::vector<Complex> sums(int bin) const;

 private:
  [[nodiscard]] double independent_sign_error() const;
  void add_value(int bin, std::size_t at, double value);
  [[noreturn]] void refuse(std::size_t at, double value) const;
  [[nodiscard]] const ring::ExactScale& scale(std::size_t at) const noexcept;
  [[nodiscard]] double value(int bin, std::size_t at) const;

  const Problem& problem_;
  std::optional<TileSet> all_;  ///< once a whole Green's function was added
  TileSet diagonal_;
  SampleGreen green_;
  int bins_;
  std::size_t length_;  ///< of a bin: samples, f (two), |f|^2, |f|, then G
  std::optional<ExactScales> exact_;
  std::vector<double> doubles_;
  std::vector<std::int64_t> integers_;
  std::vector<double> tiles_;
  double squares_ = 0;
  double fourth_ = 0;
};

/// From sums by bin of f x, and of f: the average of x and, from two bins with samples on, its
/// error by jackknife, the real part for the real part and the imaginary for the imaginary one.
struct Estimate {
  Complex value;
  Complex error;
};
[[nodiscard]] Estimate estimate(std::span<const Complex> sums, std::span<const Complex> signs);

/// G(k, w) by (b1, b2, s, k, w), and its mean over spins by (b1, b2, k, w): the errors of both
/// spins are correlated. No errors without bins.
struct GreenEstimate {
  std::vector<Complex> g;
  std::vector<Complex> error;
  std::vector<Complex> mean;
  std::vector<Complex> mean_error;
  std::vector<std::vector<Complex>> without;  ///< g of all bins but one, by those with samples
};
/// pairs: of bands. With `leaves_out`, `without` is there, for the errors of functions of g.
[[nodiscard]] GreenEstimate green_of(const Averages& averages, std::size_t pairs,
                                     bool leaves_out = false);

}  // namespace blockyard::lattice
