// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/hubbard.h"

#include <algorithm>
#include <cmath>

#include "blockyard/lattice/bath.h"

namespace blockyard::lattice {

namespace {

constexpr int table_steps = 8192;

/// - exp(- xi tau) / (1 + exp(- beta xi)), 0 <= tau <= beta, without overflow.
double of_level(double xi, double tau, double beta) {
  return xi >= 0 ? -std::exp(-xi * tau) / (1 + std::exp(-beta * xi))
                 : -std::exp(xi * (beta - tau)) / (1 + std::exp(beta * xi));
}

int modulo(int value, int length) { return ((value % length) + length) % length; }

}  // namespace

double Hubbard::eps(Vector2 momentum) const {
  const auto cosine = [&](std::size_t axis) {
    if (lengths[axis] == 1) return 0.0;
    return std::cos(2 * std::numbers::pi * momentum[axis] / lengths[axis]);
  };
  return -2 * t * (cosine(0) + cosine(1)) - 4 * t_prime * cosine(0) * cosine(1);
}

double Hubbard::energy(int level, double eps) const noexcept {
  const double parity = level == 0 ? 1.0 : -1.0;
  return eps - mu - (layers == 2 ? parity * t_perp : 0.0);
}

double matsubara(int n, double beta) noexcept { return (2 * n + 1) * std::numbers::pi / beta; }

std::vector<Vector2> all_momenta(Vector2 lengths) {
  std::vector<Vector2> momenta;
  for (int y = 0; y < lengths[1]; ++y)
    for (int x = 0; x < lengths[0]; ++x) momenta.push_back({x, y});
  return momenta;
}

std::vector<Vector2> irreducible_momenta(Vector2 lengths) {
  std::vector<Vector2> momenta;
  for (const Vector2& k : all_momenta(lengths)) {
    if (2 * k[0] > lengths[0] || 2 * k[1] > lengths[1]) continue;
    if (lengths[0] == lengths[1] && k[1] > k[0]) continue;
    momenta.push_back(k);
  }
  return momenta;
}

Problem problem_of(const Hubbard& model, int half, int exchange,
                   std::vector<Vector2> exchange_momenta) {
  Problem problem;
  problem.axes = {model.layers, model.sites(), half, exchange, model.beta};
  problem.sites = all_momenta(model.lengths);
  problem.momenta = problem.sites;
  problem.lengths = model.lengths;
  problem.exchange_momenta = std::move(exchange_momenta);
  for (int w = 0; w < problem.axes.extended(); ++w)
    for (const Vector2& k : problem.momenta)
      for (int s = 0; s < 2; ++s) {
        const Complex z(model.mu - model.eps(k), problem.axes.frequency(w));
        if (model.layers == 1) {
          problem.g0.push_back(1.0 / z);
          continue;
        }
        const Complex determinant = z * z - model.t_perp * model.t_perp;
        for (const Complex& value : {z, Complex(-model.t_perp), Complex(-model.t_perp), z})
          problem.g0.push_back(value / determinant);
      }
  return problem;
}

BareTime::BareTime(const Hubbard& model, Empty)
    : lengths_(model.lengths),
      bands_(model.layers),
      beta_(model.beta),
      step_(model.beta / table_steps),
      table_(static_cast<std::size_t>(table_steps + 1) * static_cast<std::size_t>(model.sites()) *
             static_cast<std::size_t>(bands_) * 2) {
  for (const Vector2& r : all_momenta(lengths_))
    cosines_.push_back(std::cos(
        2 * std::numbers::pi *
        (static_cast<double>(r[0]) / lengths_[0] + static_cast<double>(r[1]) / lengths_[1])));
}

BareTime::BareTime(const Hubbard& model) : BareTime(model, Empty{}) {
  std::vector<Point> points;
  for (int step = 0; step <= table_steps; ++step) {
    points.clear();
    for (const Vector2& k : all_momenta(lengths_))
      for (int level = 0; level < bands_; ++level) {
        const double xi = model.energy(level, model.eps(k));
        const double value = of_level(xi, step * step_, beta_);
        points.push_back({value, -xi * value});
      }
    set_step(step, points);
  }
}

/// Two poles have the first moments of the bath; the rest is summed over frequencies.
BareTime::BareTime(const Hubbard& model, const Bath& bath) : BareTime(model, Empty{}) {
  const int count = bath.g0.frequencies();
  const std::size_t levels = bath.energy.size();
  std::vector<Complex> rest(bath.g0.values);
  for (std::size_t at = 0; at < rest.size(); ++at) {
    const Complex iw(0, matsubara(static_cast<int>(at / levels), beta_));
    for (const double side : {-1.0, 1.0})
      rest[at] -= 0.5 / (iw - bath.energy[at % levels] - side * bath.spread[at % levels]);
  }
  std::vector<Point> points(levels);
  std::vector<Complex> sums(2 * levels);
  for (int step = 0; step <= table_steps; ++step) {
    const double tau = step * step_;
    std::ranges::fill(sums, 0.0);
    Complex phase = std::polar(1.0, -std::numbers::pi * tau / beta_);
    const Complex turn = phase * phase;
    for (int n = 0; n < count; ++n, phase *= turn) {
      const Complex slope = phase * Complex(0, -matsubara(n, beta_));
      const Complex* row = rest.data() + static_cast<std::size_t>(n) * levels;
      for (std::size_t k = 0; k < levels; ++k) {
        sums[k] += row[k] * phase;
        sums[levels + k] += row[k] * slope;
      }
    }
    for (std::size_t k = 0; k < levels; ++k) {
      points[k] = {2 / beta_ * sums[k].real(), 2 / beta_ * sums[levels + k].real()};
      for (const double side : {-1.0, 1.0}) {
        const double xi = bath.energy[k] + side * bath.spread[k];
        const double value = 0.5 * of_level(xi, tau, beta_);
        points[k].value += value;
        points[k].derivative -= xi * value;
      }
    }
    set_step(step, points);
  }
}

void BareTime::set_step(int step, const std::vector<Point>& points) {
  const auto count = static_cast<double>(points.size());
  double* out = table_.data() + static_cast<std::size_t>(step) * points.size() * 2;
  for (const Vector2& r : all_momenta(lengths_))
    for (int difference = 0; difference < bands_; ++difference) {
      // The layers' even and odd combinations; their product has a sign between layers.
      const double odd = difference == 1 ? -1.0 : 1.0;
      const Point* point = points.data();
      Point sum;
      for (int ky = 0; ky < lengths_[1]; ++ky) {
        const double* cosines = cosines_.data() + ky * r[1] % lengths_[1] * lengths_[0];
        for (int kx = 0, x = 0; kx < lengths_[0]; ++kx) {  // x: kx r[0], modulo the length
          for (int level = 0; level < bands_; ++level, ++point) {
            const double weight = level == 0 ? cosines[x] : odd * cosines[x];
            sum.value += weight * point->value;
            sum.derivative += weight * point->derivative;
          }
          x += r[0];
          if (x >= lengths_[0]) x -= lengths_[0];
        }
      }
      *out++ = sum.value / count;
      *out++ = sum.derivative / count;
    }
}

double BareTime::at(int band1, int band2, Vector2 distance, double tau) const noexcept {
  // At equal times from below: tau = 0 is the limit from negative times, - g0(beta).
  double sign = 1;
  if (tau <= 0) {
    tau += beta_;
    sign = -1;
  }
  const double x = tau / step_;
  const int step = std::min(static_cast<int>(x), table_steps - 1);
  const double f = x - step;
  const auto distances = static_cast<std::size_t>(lengths_[0] * lengths_[1]);
  const auto r = static_cast<std::size_t>(modulo(distance[1], lengths_[1]) * lengths_[0] +
                                          modulo(distance[0], lengths_[0]));
  const std::size_t row = distances * static_cast<std::size_t>(bands_) * 2;
  const double* low = table_.data() + static_cast<std::size_t>(step) * row +
                      (r * static_cast<std::size_t>(bands_) + (band1 == band2 ? 0U : 1U)) * 2;
  const double* high = low + row;
  const double f2 = f * f;
  const double f3 = f2 * f;
  return sign * ((2 * f3 - 3 * f2 + 1) * low[0] + (f3 - 2 * f2 + f) * step_ * low[1] +
                 (3 * f2 - 2 * f3) * high[0] + (f3 - f2) * step_ * high[1]);
}

}  // namespace blockyard::lattice
