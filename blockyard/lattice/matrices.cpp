// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/matrices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "blockyard/lattice/detail/lapack.h"

namespace blockyard::lattice {

namespace {

constexpr std::size_t most_order = 1024;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::size_t order_of(const Problem& problem) {
  return static_cast<std::size_t>(problem.axes.sites) *
         static_cast<std::size_t>(problem.axes.compact());
}

/// Of a matrix of the order n; nothing if there is none. Cost: 8/3 n^3 complex operations.
std::optional<std::vector<Complex>> inverse(std::vector<Complex> matrix, std::size_t order) {
  const auto n = static_cast<int>(order);
  std::vector<Complex> result(order * order, 0.0);
  for (std::size_t i = 0; i < order; ++i) result[i * order + i] = 1;
  std::vector<int> pivots(order);
  int info = 0;
  zgesv_(&n, &n, matrix.data(), &n, pivots.data(), result.data(), &n, &info);
  if (info != 0) return std::nullopt;
  return result;
}

/// The largest real part of the eigenvalues of 1 - chi^-1 chi0, chi0 diagonal. Cost: 25 n^3 complex
/// operations.
double leading_eigenvalue(std::vector<Complex> inverse_of_chi, const std::vector<Complex>& chi0) {
  const auto order = chi0.size();
  const auto n = static_cast<int>(order);
  for (std::size_t i = 0; i < order * order; ++i) inverse_of_chi[i] *= chi0[i / order];
  int info = 0;
  std::vector<Complex> values(order);
  const int one = 1;
  const int work_length = 4 * n;
  std::vector<Complex> work(static_cast<std::size_t>(work_length));
  std::vector<double> more(2 * order);
  Complex none;
  zgeev_("N", "N", &n, inverse_of_chi.data(), &n, values.data(), &none, &one, &none, &one,
         work.data(), &work_length, more.data(), &info);
  if (info != 0) return not_a_number;
  double most = -std::numeric_limits<double>::infinity();
  for (const Complex& value : values) most = std::max(most, 1 - value.real());
  return most;
}

}  // namespace

std::vector<Matrices::Matrix> Matrices::wanted(const Problem& problem, const SliceShape& shape) {
  std::vector<Matrix> found;
  if (problem.axes.bands != 1 || order_of(problem) > most_order) return found;
  const Cluster cluster = problem.cluster();
  for (std::size_t c = 0; c < shape.channels.size(); ++c)
    for (std::size_t q = 0; q < problem.exchange_momenta.size(); ++q) {
      const bool is_pairing =
          is_pp(shape.channels[c]) && cluster.exchange()[q] == cluster.find({0, 0});
      if (is_pairing || shape.channels[c] == Channel::ph_magnetic) found.push_back({c, q, {}});
    }
  return found;
}

std::int64_t Matrices::bytes_of(const Problem& problem, const SliceShape& shape) {
  const std::size_t order = order_of(problem);
  const std::size_t count = wanted(problem, shape).size() * static_cast<std::size_t>(shape.bins);
  return static_cast<std::int64_t>(count * order * order * sizeof(Complex));
}

Matrices::Matrices(const Problem& problem, const SliceShape& shape)
    : problem_(problem),
      shape_(shape),
      cluster_(problem.cluster()),
      order_(order_of(problem)),
      matrices_(wanted(problem, shape)) {
  for (Matrix& matrix : matrices_)
    matrix.sums.assign(static_cast<std::size_t>(shape.bins), std::vector<Complex>(order_ * order_));
}

void Matrices::take(Extent unit, std::span<const double> values) {
  const auto nk = static_cast<std::size_t>(shape_.axes.sites);
  for (Matrix& matrix : matrices_)
    for (int bin = 0; bin < shape_.bins; ++bin)
      for (int side = 0; side < 2; ++side) {
        const auto w2 = static_cast<std::size_t>(shape_.second_frequency(unit, side));
        auto& sums = matrix.sums[static_cast<std::size_t>(bin)];
        for (int w1 = 0; w1 < shape_.axes.compact(); ++w1) {
          const std::size_t block =
              shape_.at(bin, side, matrix.channel, 0, static_cast<int>(matrix.q), w1);
          for (std::size_t k2 = 0; k2 < nk; ++k2)
            for (std::size_t k1 = 0; k1 < nk; ++k1) {
              const std::size_t from = block + k2 * shape_.row() + k1;
              sums[(w2 * nk + k2) * order_ + static_cast<std::size_t>(w1) * nk + k1] = {
                  values[from], values[from + nk]};
            }
        }
      }
}

/// chi0 by (k, w), the mean over spins of product(s1, k1, w1, s2, k2, w2) with frequencies on the
/// extended axis; negative for spin.
template <class Product>
std::vector<Complex> Matrices::bubble_of(const Matrix& matrix, const Product& product) const {
  const Axes& axes = problem_.axes;
  const int q = cluster_.exchange()[matrix.q];
  std::vector<Complex> chi0;
  for (int w = 0; w < axes.compact(); ++w)
    for (int k = 0; k < axes.sites; ++k) {
      const int here = w + axes.offset();
      const int mirror = axes.compact() - 1 - w + axes.offset();
      Complex sum = 0;
      for (int s = 0; s < 2; ++s)
        sum += is_pp(shape_.channels[matrix.channel])
                   ? product(s, k, here, 1 - s, cluster_.minus(q, k), mirror)
                   : -product(s, k, here, s, cluster_.add(k, q), here);
      chi0.push_back(sum / 2.0);
    }
  return chi0;
}

/// With G of the cluster. g: averages by (s, k, w) on the extended axis.
std::vector<Complex> Matrices::bubble(const Matrix& matrix, std::span<const Complex> g) const {
  const auto at = [&](int s, int k, int w) {
    return g[static_cast<std::size_t>(s + 2 * (k + problem_.axes.sites * w))];
  };
  return bubble_of(matrix, [&](int s1, int k1, int w1, int s2, int k2, int w2) {
    return at(s1, k1, w1) * at(s2, k2, w2);
  });
}

/// With G of the lattice in the patches, 1 / (i w - energy(K + k~) - Sigma(K)). Sigma is that of
/// the same averages, 1 / G0 - 1 / G, and not the one the iteration ended with: so one momentum in
/// a patch gives the cluster, and the errors of Sigma are in those of the results.
std::vector<Complex> Matrices::bubble(const Matrix& matrix, std::span<const Complex> g,
                                      const Patches& patches) const {
  const auto z = [&](int s, int k, int w) {
    const auto at = static_cast<std::size_t>(s + 2 * (k + problem_.axes.sites * w));
    const Complex sigma = 1.0 / problem_.g0[at] - 1.0 / g[at];
    return Complex(0, problem_.axes.frequency(w)) - sigma;
  };
  const bool is_pairing = is_pp(shape_.channels[matrix.channel]);
  return bubble_of(matrix, [&](int s1, int k1, int w1, int s2, int k2, int w2) {
    // A pair is of K + k~ and -K - k~, whose energies are the same.
    return patches.bubble(k1, z(s1, k1, w1), is_pairing ? k1 : k2, z(s2, k2, w2));
  });
}

Matrices::Two Matrices::measure(const Matrix& matrix, const Averages& averages,
                                const Patches* patches, int without) const {
  std::vector<Complex> chi(order_ * order_, 0.0);
  std::vector<Complex> g(problem_.g0.size(), 0.0);
  Complex sign = 0;
  for (int bin = 0; bin < shape_.bins; ++bin) {
    if (bin == without) continue;
    const auto& sums = matrix.sums[static_cast<std::size_t>(bin)];
    for (std::size_t i = 0; i < chi.size(); ++i) chi[i] += sums[i];
    const auto of_bin = averages.sums(bin);
    for (std::size_t i = 0; i < g.size(); ++i) g[i] += of_bin[i];
    sign += averages.sign(bin);
  }
  const double beta = problem_.axes.beta;
  for (Complex& value : chi) value /= sign * beta * beta;
  for (Complex& value : g) value /= sign;
  std::vector<Complex> chi0 = bubble(matrix, g);
  std::optional<std::vector<Complex>> inverse_of_chi = inverse(chi, order_);
  if (patches != nullptr && inverse_of_chi) {
    const std::vector<Complex> of_lattice = bubble(matrix, g, *patches);
    for (std::size_t i = 0; i < order_; ++i)
      (*inverse_of_chi)[i * order_ + i] += 1.0 / of_lattice[i] - 1.0 / chi0[i];
    chi0 = of_lattice;
    chi = inverse(*inverse_of_chi, order_).value_or(std::vector<Complex>{not_a_number});
  }
  const Complex sum = std::accumulate(chi.begin(), chi.end(), Complex(0));
  return {inverse_of_chi ? leading_eigenvalue(std::move(*inverse_of_chi), chi0) : not_a_number,
          sum.real() / (beta * problem_.axes.sites)};
}

std::vector<Leading> Matrices::leading(const Averages& averages, const Patches* patches) const {
  std::vector<int> filled;  // an empty one tells nothing, and one alone is all
  for (int bin = 0; bin < shape_.bins; ++bin)
    if (averages.count(bin) > 0) filled.push_back(bin);
  if (filled.size() < 2) filled.clear();
  std::vector<Leading> result;
  for (const Matrix& matrix : matrices_) {
    const Two all = measure(matrix, averages, patches, -1);
    Leading found{shape_.channels[matrix.channel],
                  problem_.exchange_momenta[matrix.q],
                  all.eigenvalue,
                  0,
                  all.susceptibility,
                  0};
    double of_eigenvalue = 0;
    double of_susceptibility = 0;
    for (const int bin : filled) {
      const Two one = measure(matrix, averages, patches, bin);
      of_eigenvalue += std::pow(one.eigenvalue - all.eigenvalue, 2);
      of_susceptibility += std::pow(one.susceptibility - all.susceptibility, 2);
    }
    const double factor = filled.empty() ? 0 : 1 - 1 / static_cast<double>(filled.size());
    found.eigenvalue_error = std::sqrt(factor * of_eigenvalue);
    found.susceptibility_error = std::sqrt(factor * of_susceptibility);
    result.push_back(found);
  }
  return result;
}

}  // namespace blockyard::lattice
