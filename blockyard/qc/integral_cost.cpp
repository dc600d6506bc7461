// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/integral_cost.h"

#include <algorithm>
#include <array>

#include "blockyard/base/best_seconds.h"
#include "blockyard/base/error.h"
#include "blockyard/qc/detail/integral_data.h"

namespace blockyard::qc {

namespace {

double rate_of(const std::vector<double>& rates, int sum) {
  return rates[std::min(static_cast<std::size_t>(sum), rates.size() - 1)];
}

/// Four shells on four atoms whose momenta add up to `sum`, each of `primitives` primitives.
AoBasis four_shells(int sum, int primitives) {
  constexpr std::size_t count = 4;
  AoBasis basis;
  for (std::size_t k = 0; k < count; ++k) {
    Shell shell;
    shell.atom = k;
    shell.center_bohr = {0.4 * static_cast<double>(k), 0.3 * static_cast<double>(k % 2), 0.1};
    shell.contraction.angular_momentum = (sum + static_cast<int>(k)) / static_cast<int>(count);
    for (int p = 0; p < primitives; ++p) {
      shell.contraction.exponents.push_back(0.5 + 0.4 * p);
      shell.contraction.coefficients.push_back(1.0);
    }
    shell.first_function = basis.function_count;
    shell.function_count = shell_function_count(shell.contraction.angular_momentum, true);
    basis.function_count += shell.function_count;
    basis.shells.push_back(std::move(shell));
  }
  return basis;
}

/// Seconds of one such quartet: the best of a few rounds.
double quartet_seconds(int sum, int primitives) {
  constexpr int rounds = 5;
  constexpr double round_seconds = 2e-3;
  const Integrals integrals({{{1, {0, 0, 0}}}, 0, 2}, four_shells(sum, primitives));
  IntegralEngine engine(integrals);
  Extent elements = 1;
  for (const Shell& shell : integrals.basis().shells) elements *= shell.function_count;
  std::vector<double> values(static_cast<std::size_t>(elements));
  return base::best_seconds(rounds, round_seconds, [&] {
    engine.electron_repulsion({0, 1}, {1, 1}, {2, 1}, {3, 1}, values);
  });
}

/// A pair of shells, as far as its cost goes.
struct PairCost {
  int momentum = 0;  ///< sum of both
  double bound = 0;  ///< of Schwarz
  double primitives = 0;
};

/// The pairs of two ranges in the order of the shells; of one range with itself, each pair once.
std::vector<PairCost> pairs_of(const Integrals::Data& data, ShellRange a, ShellRange b) {
  const auto momentum = [&](std::size_t shell) {
    return data.basis.shells[shell].contraction.angular_momentum;
  };
  std::vector<double> shares;
  for (const detail::ShellFamily& family : data.families)
    shares.insert(shares.end(), family.count, detail::primitive_share(family));
  std::vector<PairCost> pairs;
  for (std::size_t sa = a.first; sa < a.first + a.count; ++sa)
    for (std::size_t sb = b.first; sb < (a == b ? sa + 1 : b.first + b.count); ++sb)
      pairs.push_back(
          {momentum(sa) + momentum(sb), data.bound(sa, sb),
           static_cast<double>(data.pair(sa, sb).primpairs.size()) * shares[sa] * shares[sb]});
  return pairs;
}

/// Pairs of one sum of momenta by falling bound: those that survive a threshold come first.
struct PairClass {
  int momentum = 0;
  std::vector<double> bounds;
  std::vector<double> primitives = {0};  ///< of the first k pairs
};

std::vector<PairClass> classes_of(std::vector<PairCost> pairs) {
  std::ranges::sort(pairs, [](const PairCost& one, const PairCost& other) {
    return std::pair(one.momentum, -one.bound) < std::pair(other.momentum, -other.bound);
  });
  std::vector<PairClass> classes;
  for (const PairCost& pair : pairs) {
    if (classes.empty() || classes.back().momentum != pair.momentum)
      classes.emplace_back().momentum = pair.momentum;
    classes.back().bounds.push_back(pair.bound);
    classes.back().primitives.push_back(classes.back().primitives.back() + pair.primitives);
  }
  return classes;
}

}  // namespace

double repulsion_seconds(const Integrals& shared, const RepulsionRates& rates, ShellRange a,
                         ShellRange b, ShellRange c, ShellRange d) {
  const Integrals::Data& data = shared.data();
  const double threshold = data.options.schwarz_threshold;
  const auto cost = [&](int momentum, double quartets, double primitives) {
    return rate_of(rates.quartet_seconds, momentum) * quartets +
           rate_of(rates.primitive_seconds, momentum) * primitives;
  };
  const std::vector<PairCost> bras = pairs_of(data, a, b);
  double seconds = 0;
  if (a == c && b == d) {  // each quartet once
    for (std::size_t bra = 0; bra < bras.size(); ++bra)
      for (std::size_t ket = 0; ket <= bra; ++ket)
        if (!(bras[bra].bound * bras[ket].bound < threshold))
          seconds += cost(bras[bra].momentum + bras[ket].momentum, 1,
                          bras[bra].primitives * bras[ket].primitives);
    return seconds;
  }
  const std::vector<PairClass> kets = classes_of(pairs_of(data, c, d));
  for (const PairCost& bra : bras)
    for (const PairClass& ket : kets) {
      const auto survives = [&](double bound) { return !(bra.bound * bound < threshold); };
      const auto count = std::ranges::partition_point(ket.bounds, survives) - ket.bounds.begin();
      seconds += cost(bra.momentum + ket.momentum, static_cast<double>(count),
                      bra.primitives * ket.primitives[static_cast<std::size_t>(count)]);
    }
  return seconds;
}

RepulsionRates measure_repulsion(const std::function<void()>& step) {
  constexpr int primitives = 4;
  constexpr double quartets_of_primitives = 256;  // primitives^4
  RepulsionRates rates;
  for (int sum = 0; sum <= most_momentum_sum; ++sum) {
    step();
    const double one = quartet_seconds(sum, 1);
    const double many = quartet_seconds(sum, primitives);
    const double primitive = std::max(0.0, (many - one) / (quartets_of_primitives - 1));
    rates.primitive_seconds.push_back(primitive);
    rates.quartet_seconds.push_back(std::max(0.0, one - primitive));
  }
  return rates;
}

}  // namespace blockyard::qc
