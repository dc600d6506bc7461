// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/bath.h"

#include <algorithm>
#include <cmath>

#include "blockyard/base/error.h"

namespace blockyard::lattice {

namespace {

/// The same for all momenta that reflections, and with equal lengths the exchange of x and y, take
/// to each other.
Vector2 representative(Vector2 k, Vector2 lengths) {
  for (std::size_t axis = 0; axis < 2; ++axis) k[axis] = std::min(k[axis], lengths[axis] - k[axis]);
  if (lengths[0] == lengths[1] && k[1] > k[0]) std::swap(k[0], k[1]);
  return k;
}

/// f by level, momentum and frequency.
template <class F>
LevelFunction make(int levels, int momenta, int frequencies, const F& f) {
  LevelFunction result{levels, momenta, {}};
  for (int n = 0; n < frequencies; ++n)
    for (int k = 0; k < momenta; ++k)
      for (int level = 0; level < levels; ++level) result.values.push_back(f(level, k, n));
  return result;
}

}  // namespace

Complex SelfEnergy::at(int level, int k, int n, double beta) const {
  if (n < known.frequencies()) return known.at(level, k, n);
  return constant + tail / Complex(0, matsubara(n, beta));
}

Patches::Patches(const Hubbard& model, int directions, int points) : model_(model) {
  const auto moved = [&](const Vector2& k, std::size_t axis, int point) {
    const double within = (point + 0.5) / points - 0.5;
    return 2 * std::numbers::pi * (k[axis] + within) / model.lengths[axis];
  };
  for (const Vector2& k : all_momenta(model.lengths)) {
    std::vector<double>& eps = eps_.emplace_back();
    for (int i = 0; i < points; ++i) {
      const double x = std::cos(moved(k, 0, i));
      for (int j = 0; j < points && directions == 2; ++j) {
        const double y = std::cos(moved(k, 1, j));
        eps.push_back(-2 * model.t * (x + y) - 4 * model.t_prime * x * y);
      }
      if (directions == 1) eps.push_back(-2 * model.t * x);
    }
  }
}

Complex Patches::green(int level, int k, Complex z) const {
  const std::vector<double>& eps = eps_[static_cast<std::size_t>(k)];
  Complex sum = 0;
  for (const double one : eps) sum += 1.0 / (z - model_.energy(level, one));
  return sum / static_cast<double>(eps.size());
}

Complex Patches::bubble(int k1, Complex z1, int k2, Complex z2) const {
  const std::vector<double>& eps1 = eps_[static_cast<std::size_t>(k1)];
  const std::vector<double>& eps2 = eps_[static_cast<std::size_t>(k2)];
  Complex sum = 0;
  for (std::size_t i = 0; i < eps1.size(); ++i)
    sum += 1.0 / ((z1 - model_.energy(0, eps1[i])) * (z2 - model_.energy(0, eps2[i])));
  return sum / static_cast<double>(eps1.size());
}

double Patches::mean(int level, int k) const {
  const std::vector<double>& eps = eps_[static_cast<std::size_t>(k)];
  double sum = 0;
  for (const double one : eps) sum += one;
  return model_.energy(level, sum / static_cast<double>(eps.size()));
}

double Patches::deviation(int level, int k) const {
  const std::vector<double>& eps = eps_[static_cast<std::size_t>(k)];
  const double middle = mean(level, k);
  double sum = 0;
  for (const double one : eps) sum += std::pow(model_.energy(level, one) - middle, 2);
  return std::sqrt(sum / static_cast<double>(eps.size()));
}

Bath bath_of(const Hubbard& model, const Patches& patches, const SelfEnergy& sigma,
             int frequencies) {
  Bath bath;
  bath.g0 = make(model.layers, model.sites(), frequencies, [&](int level, int k, int n) {
    const Complex self_energy = sigma.at(level, k, n, model.beta);
    const Complex iw(0, matsubara(n, model.beta));
    return 1.0 / (1.0 / patches.green(level, k, iw - self_energy) + self_energy);
  });
  for (int k = 0; k < model.sites(); ++k)
    for (int level = 0; level < model.layers; ++level) {
      bath.energy.push_back(patches.mean(level, k));
      bath.spread.push_back(patches.deviation(level, k));
    }
  return bath;
}

void put_in(const Bath& bath, Problem& problem) {
  const Axes& axes = problem.axes;
  const int middle = axes.extended() / 2;
  base::require(bath.g0.frequencies() >= middle, "a bath has all frequencies of the axis");
  problem.g0.clear();
  for (int w = 0; w < axes.extended(); ++w)
    for (int k = 0; k < axes.sites; ++k) {
      const auto of_level = [&](int level) {
        return w >= middle ? bath.g0.at(level, k, w - middle)
                           : std::conj(bath.g0.at(level, k, middle - 1 - w));
      };
      for (int s = 0; s < 2; ++s) {
        if (axes.bands == 1) {
          problem.g0.push_back(of_level(0));
          continue;
        }
        const Complex same = (of_level(0) + of_level(1)) / 2.0;
        const Complex other = (of_level(0) - of_level(1)) / 2.0;
        for (const Complex& value : {same, other, other, same}) problem.g0.push_back(value);
      }
    }
}

LevelFunction level_function(const Hubbard& model, const Axes& axes,
                             const std::vector<Complex>& g) {
  const int middle = axes.extended() / 2;
  const auto momenta = all_momenta(model.lengths);
  const auto bands = static_cast<std::size_t>(axes.bands);
  const auto value = [&](int level, int k, int w) {
    Complex sum = 0;
    for (std::size_t s = 0; s < 2; ++s) {
      const Complex* block =
          g.data() + bands * bands * (s + 2 * static_cast<std::size_t>(k + axes.sites * w));
      if (bands == 1)
        sum += block[0] / 2.0;
      else
        sum += (block[0] + block[3] + (level == 0 ? 1.0 : -1.0) * (block[1] + block[2])) / 4.0;
    }
    return sum;
  };
  return make(model.layers, axes.sites, middle, [&](int level, int k, int n) {
    const Vector2 mine = representative(momenta[static_cast<std::size_t>(k)], model.lengths);
    Complex sum = 0;
    int count = 0;
    for (int other = 0; other < axes.sites; ++other) {
      if (representative(momenta[static_cast<std::size_t>(other)], model.lengths) != mine) continue;
      sum += value(level, other, middle + n) + std::conj(value(level, other, middle - 1 - n));
      count += 2;
    }
    return sum / static_cast<double>(count);
  });
}

/// The sum over frequencies, with what is left of it after the last from the limit of G,
/// 1 / (i w) + (energy + U (n - 1/2)) / (i w)^2.
double density_of(const Hubbard& model, const Bath& bath, const LevelFunction& g) {
  const auto levels = static_cast<std::size_t>(g.levels * g.momenta);
  double energy = 0;
  for (const double one : bath.energy) energy += one / static_cast<double>(levels);
  double sum = 0;
  double rest = model.beta / 4;
  for (int n = 0; n < g.frequencies(); ++n) {
    for (std::size_t k = 0; k < levels; ++k)
      sum += 2 / model.beta * g.values[static_cast<std::size_t>(n) * levels + k].real() /
             static_cast<double>(levels);
    rest -= 2 / model.beta / std::pow(matsubara(n, model.beta), 2);
  }
  return 0.5 + (sum - energy * rest) / (1 + model.u * rest);
}

SelfEnergy self_energy_of(const Hubbard& model, const Bath& bath, const LevelFunction& g) {
  SelfEnergy sigma;
  sigma.known = make(g.levels, g.momenta, g.frequencies(), [&](int level, int k, int n) {
    return 1.0 / bath.g0.at(level, k, n) - 1.0 / g.at(level, k, n);
  });
  const double density = density_of(model, bath, g);
  sigma.constant = model.u * (density - 0.5);
  sigma.tail = model.u * model.u * density * (1 - density);
  return sigma;
}

}  // namespace blockyard::lattice
