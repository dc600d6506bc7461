// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/averages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "blockyard/base/error.h"

namespace blockyard::lattice {

namespace {

constexpr std::size_t heads = 5;

}  // namespace

Averages::Averages(const Problem& problem, const Cluster& cluster, int bins,
                   std::optional<ExactScales> exact)
    : problem_(problem),
      diagonal_(TileSet::diagonal(problem.axes)),
      green_(cluster, problem.axes, problem.g0),
      bins_(bins),
      length_(heads + 2 * problem.g0.size()),
      exact_(exact),
      tiles_(diagonal_.values()) {
  (exact_ ? integers_.resize(static_cast<std::size_t>(bins) * length_)
          : doubles_.resize(static_cast<std::size_t>(bins) * length_));
}

void Averages::add_value(int bin, std::size_t at, double value) {
  const std::size_t to = static_cast<std::size_t>(bin) * length_ + at;
  if (!exact_) {
    doubles_[to] += value;
    return;
  }
  if (!(std::abs(value) <= scale(at).bound())) refuse(at, value);
  integers_[to] += scale(at).integer_of(value);
}

const ring::ExactScale& Averages::scale(std::size_t at) const noexcept {
  return at < heads ? exact_->sign : exact_->green;
}

void Averages::refuse(std::size_t at, double value) const {
  if (at < heads)
    throw base::Error(
        base::Errc::bad_input,
        fmt::format("a sign f of a sample, or its square, is {:.6g}: outside the range of the "
                    "exact sums, {:.6g}, which comes from the first sample; let one with as large "
                    "a sign be the first, or use sums in double precision",
                    value, scale(at).bound()));
  throw base::Error(
      base::Errc::bad_input,
      fmt::format("a contribution of {:.6g} to G is outside the range of the exact sums, whose "
                  "bound is {:.6g}: set {} to at least {:.3g}",
                  value, scale(at).bound(), exact_->option,
                  4 * std::pow(problem_.axes.beta * value, 2)));
}

double Averages::value(int bin, std::size_t at) const {
  const std::size_t from = static_cast<std::size_t>(bin) * length_ + at;
  return exact_ ? scale(at).value_of(integers_[from]) : doubles_[from];
}

void Averages::add(const Sample& sample, int bin) {
  green_.compute(sample, diagonal_, tiles_);
  std::vector<double> tiles;
  tiles.swap(tiles_);
  add(tiles, sample.sign, bin);
  tiles.swap(tiles_);
}

void Averages::add(std::span<const double> tiles, Complex sign, int bin) {
  const bool is_diagonal = tiles.size() == diagonal_.values();
  if (!is_diagonal && !all_) all_ = TileSet::all(problem_.axes);
  const TileSet& set = is_diagonal ? diagonal_ : *all_;
  base::require(tiles.size() == set.values(), "a Green's function has all its tiles");
  add_value(bin, 0, 1.0);
  add_value(bin, 1, sign.real());
  add_value(bin, 2, sign.imag());
  add_value(bin, 3, std::norm(sign));
  add_value(bin, 4, std::abs(sign));
  const Axes& axes = problem_.axes;
  std::size_t at = heads;
  std::array<double, 2> most{};
  for (int w = 0; w < axes.extended(); ++w)
    for (int k = 0; k < axes.sites; ++k)
      for (int s = 0; s < 2; ++s)
        for (int b2 = 0; b2 < axes.bands; ++b2)
          for (int b1 = 0; b1 < axes.bands; ++b1, at += 2) {
            const std::size_t from =
                set.at(set.find(w, w), s, b1, b2) + static_cast<std::size_t>(k * axes.sites + k);
            const Complex one = Complex(tiles[from], tiles[from + set.plane()]) / axes.beta;
            double& most_of_spin = most[static_cast<std::size_t>(s)];
            most_of_spin = std::max(most_of_spin, std::norm(one));
            const Complex g = sign * one;
            add_value(bin, at, g.real());
            add_value(bin, at + 1, g.imag());
          }
  const double square = std::norm(sign) * most[0] * most[1];
  squares_ += square;
  fourth_ += square * square;
}

void Averages::reduce(fabric::Fabric& fabric) {
  std::array<double, 2> powers{squares_, fourth_};
  fabric.reduce(powers);
  squares_ = powers[0];
  fourth_ = powers[1];
  if (!exact_) {
    fabric.reduce(doubles_);
    return;
  }
  // An integer as two doubles that hold their sums exactly: the high and the low half.
  constexpr int half_bits = 32;
  std::vector<double> halves;
  for (const std::int64_t value : integers_) {
    halves.push_back(static_cast<double>(value >> half_bits));
    halves.push_back(static_cast<double>(value & 0xffffffff));
  }
  fabric.reduce(halves);
  for (std::size_t i = 0; i < integers_.size(); ++i)
    integers_[i] = (static_cast<std::int64_t>(halves[2 * i]) << half_bits) +
                   static_cast<std::int64_t>(halves[2 * i + 1]);
}

void Averages::clear() {
  std::ranges::fill(doubles_, 0.0);
  std::ranges::fill(integers_, 0);
  squares_ = fourth_ = 0;
}

void Averages::load(base::FieldReader& in) {
  const std::size_t doubles = doubles_.size();
  const std::size_t integers = integers_.size();
  in.fields(doubles_, integers_, squares_, fourth_);
  base::require(doubles_.size() == doubles && integers_.size() == integers,
                "saved averages are as long as those of the run");
}

double Averages::count(int bin) const { return value(bin, 0); }
Complex Averages::sign(int bin) const { return {value(bin, 1), value(bin, 2)}; }

double Averages::count() const {
  double sum = 0;
  for (int bin = 0; bin < bins_; ++bin) sum += count(bin);
  return sum;
}

Complex Averages::sign() const {
  Complex sum = 0;
  for (int bin = 0; bin < bins_; ++bin) sum += sign(bin);
  return sum;
}

double Averages::weight() const {
  double sum = 0;
  for (int bin = 0; bin < bins_; ++bin) sum += value(bin, 4);
  return sum;
}

/// Of the mean of f, relative to that of |f|: with s the average sign, the spread of f - s |f|.
double Averages::independent_sign_error() const {
  double squares = 0;
  for (int bin = 0; bin < bins_; ++bin) squares += value(bin, 3);
  const double n = count();
  const double weights = weight();
  if (n < 2 || weights == 0) return 0;
  const double average = std::abs(sign()) / weights;
  const double variance = squares * (1 - average * average);
  return std::sqrt(std::max(0.0, variance) * n / (n - 1)) / weights;
}

bool Averages::has_bins() const {
  int filled = 0;
  for (int bin = 0; bin < bins_; ++bin) filled += count(bin) > 0 ? 1 : 0;
  return filled > 1;
}

double Averages::sign_error() const {
  if (!has_bins() || weight() == 0) return independent_sign_error();
  std::vector<Complex> signs;
  std::vector<Complex> weights;
  for (int bin = 0; bin < bins_; ++bin) {
    signs.push_back(sign(bin));
    weights.emplace_back(value(bin, 4));
  }
  return std::abs(estimate(signs, weights).error);
}

std::string Averages::why_undivided() const {
  const double error = std::max(sign_error(), independent_sign_error());  // bins may be few
  const double average = weight() > 0 ? std::abs(sign()) / weight() : 0;
  if (average > 2 * error) return {};
  return fmt::format(
      "the average sign is {:.3g} with an error of {:.3g} after {} samples: it is zero within its "
      "error, so nothing can be divided by it; take more samples, or a smaller beta or U",
      average, error, static_cast<std::int64_t>(count()));
}

std::vector<Complex> Averages::sums(int bin) const {
  std::vector<Complex> result;
  for (std::size_t at = heads; at < length_; at += 2)
    result.emplace_back(value(bin, at), value(bin, at + 1));
  return result;
}

Estimate estimate(std::span<const Complex> sums, std::span<const Complex> signs) {
  Complex sum = 0;
  Complex sign = 0;
  for (const Complex& one : sums) sum += one;
  for (const Complex& one : signs) sign += one;
  Estimate result{sum / sign, 0};
  if (sums.size() < 2) return result;
  double real = 0;
  double imaginary = 0;
  double filled = 0;
  for (std::size_t bin = 0; bin < sums.size(); ++bin) {
    if (sums[bin] == 0.0 && signs[bin] == 0.0) continue;  // no sample
    ++filled;
    const Complex without = (sum - sums[bin]) / (sign - signs[bin]) - result.value;
    real += without.real() * without.real();
    imaginary += without.imag() * without.imag();
  }
  if (filled < 2) return result;
  const double factor = (filled - 1) / filled;
  result.error = {std::sqrt(factor * real), std::sqrt(factor * imaginary)};
  return result;
}

namespace {

std::vector<std::vector<Complex>> left_out(const Averages& averages) {
  std::vector<std::vector<Complex>> without;
  if (!averages.has_bins()) return without;
  std::vector<Complex> all(averages.sums(0).size());
  for (int bin = 0; bin < averages.bins(); ++bin)
    std::ranges::transform(all, averages.sums(bin), all.begin(), std::plus<>());
  for (int bin = 0; bin < averages.bins(); ++bin) {
    if (averages.count(bin) == 0) continue;
    const Complex sign = averages.sign() - averages.sign(bin);
    std::vector<Complex>& g = without.emplace_back(averages.sums(bin));
    std::ranges::transform(all, g, g.begin(), [&](Complex a, Complex b) { return (a - b) / sign; });
  }
  return without;
}

}  // namespace

GreenEstimate green_of(const Averages& averages, std::size_t pairs, bool leaves_out) {
  std::vector<std::vector<Complex>> sums;
  std::vector<Complex> signs;
  for (int bin = 0; bin < averages.bins(); ++bin) {
    sums.push_back(averages.sums(bin));
    signs.push_back(averages.sign(bin));
  }
  GreenEstimate green;
  if (leaves_out) green.without = left_out(averages);
  std::vector<Complex> of_bins(sums.size());
  const auto add = [&](const auto& sum_of, std::vector<Complex>& values,
                       std::vector<Complex>& errors) {
    std::ranges::transform(sums, of_bins.begin(), sum_of);
    const Estimate found = estimate(of_bins, signs);
    values.push_back(found.value);
    if (sums.size() > 1) errors.push_back(found.error);
  };
  for (std::size_t at = 0; at < sums[0].size(); ++at) {
    add([&](const auto& bin) { return bin[at]; }, green.g, green.error);
    if (at / pairs % 2 == 0)  // spin up
      add([&](const auto& bin) { return (bin[at] + bin[at + pairs]) / 2.0; }, green.mean,
          green.mean_error);
  }
  return green;
}

}  // namespace blockyard::lattice
