// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/hubbard.h"

#include <algorithm>
#include <cmath>

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

BareTime::BareTime(const Hubbard& model)
    : lengths_(model.lengths),
      bands_(model.layers),
      beta_(model.beta),
      step_(model.beta / table_steps) {
  const auto momenta = all_momenta(lengths_);
  const std::size_t distances = momenta.size();
  table_.assign(
      static_cast<std::size_t>(table_steps + 1) * distances * static_cast<std::size_t>(bands_) * 2,
      0.0);
  const int levels = bands_;
  std::size_t at = 0;
  for (int step = 0; step <= table_steps; ++step)
    for (std::size_t r = 0; r < distances; ++r)
      for (int difference = 0; difference < bands_; ++difference, at += 2)
        for (const Vector2& k : momenta)
          for (int level = 0; level < levels; ++level) {
            // The layers' even and odd combinations; their product has a sign between layers.
            const double parity = level == 0 ? 1.0 : -1.0;
            const double xi = model.eps(k) - model.mu - (bands_ == 2 ? parity * model.t_perp : 0.0);
            const double angle = 2 * std::numbers::pi *
                                 (static_cast<double>(k[0]) * momenta[r][0] / lengths_[0] +
                                  static_cast<double>(k[1]) * momenta[r][1] / lengths_[1]);
            const double weight = std::cos(angle) * (difference == 1 ? parity : 1.0) /
                                  (static_cast<double>(distances) * levels);
            const double value = weight * of_level(xi, step * step_, beta_);
            table_[at] += value;
            table_[at + 1] -= xi * value;
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
