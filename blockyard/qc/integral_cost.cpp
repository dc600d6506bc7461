// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/integral_cost.h"

#include <algorithm>
#include <array>
#include <limits>

#include "blockyard/base/clock.h"
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
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const double begin = base::now_seconds();
    double seconds = 0;
    int repeats = 0;
    for (; seconds < round_seconds; ++repeats) {
      engine.electron_repulsion({0, 1}, {1, 1}, {2, 1}, {3, 1}, values);
      seconds = base::now_seconds() - begin;
    }
    best = std::min(best, seconds / repeats);
  }
  return best;
}

}  // namespace

double repulsion_seconds(const Integrals& shared, const RepulsionRates& rates, ShellRange a,
                         ShellRange b, ShellRange c, ShellRange d) {
  const Integrals::Data& data = shared.data();
  const std::array<bool, 3> symmetric = {a == b, c == d, a == c && b == d};
  const auto momentum = [&](std::size_t shell) {
    return data.basis.shells[shell].contraction.angular_momentum;
  };
  double seconds = 0;
  for (std::size_t sa = a.first; sa < a.first + a.count; ++sa)
    for (std::size_t sb = b.first; sb < (symmetric[0] ? sa + 1 : b.first + b.count); ++sb) {
      const double bra_bound = data.bound(sa, sb);
      const auto bra = static_cast<double>(data.pair(sa, sb).primpairs.size());
      const int bra_sum = momentum(sa) + momentum(sb);
      for (std::size_t sc = c.first; sc < c.first + c.count; ++sc)
        for (std::size_t sd = d.first; sd < (symmetric[1] ? sc + 1 : d.first + d.count); ++sd) {
          if (symmetric[2] && std::pair(sc, sd) > std::pair(sa, sb)) continue;
          if (bra_bound * data.bound(sc, sd) < data.options.schwarz_threshold) continue;
          const int sum = bra_sum + momentum(sc) + momentum(sd);
          seconds += rate_of(rates.quartet_seconds, sum) +
                     rate_of(rates.primitive_seconds, sum) * bra *
                         static_cast<double>(data.pair(sc, sd).primpairs.size());
        }
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
