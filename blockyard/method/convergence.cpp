// SPDX-License-Identifier: Apache-2.0
#include "blockyard/method/convergence.h"

#include <fmt/format.h>

#include "blockyard/base/error.h"
#include "blockyard/method/methods.h"

namespace blockyard::method {

namespace {

std::int64_t most_iterations(const worker::Environment& environment, std::string_view name) {
  const auto found = environment.ints.find(name);
  return found == environment.ints.end() ? 0 : found->second;
}

}  // namespace

bool has_converged(const worker::Outcome& outcome) {
  const auto converged = outcome.scalars.find("converged");
  return converged == outcome.scalars.end() || converged->second > 0.5;
}

std::string convergence_failure(const std::string& program, const worker::Environment& environment,
                                const worker::Outcome& outcome, const std::string& saved) {
  if (has_converged(outcome)) return "";
  const ConvergenceHint& hint = convergence_hint(program);
  std::string text =
      fmt::format("{}{} did not converge in {} iterations; try in [method]: {}", program, hint.what,
                  most_iterations(environment, hint.option), hint.advice);
  if (hint.goes_on && !saved.empty())
    text += fmt::format(". To continue from this state: --guess {}", saved);
  return text;
}

void refuse_broken_spin(std::string_view method, const worker::Environment& environment,
                        const worker::Outcome& outcome) {
  constexpr double largest_of_closed = 1e-6;  // it is quadratic in the errors of the orbitals
  if (method_named(method).triplets != Triplets::from_spin_orbitals) return;
  const auto triplets = environment.ints.find("triplets");
  const auto spin_square = outcome.scalars.find("spin_square");
  if (triplets == environment.ints.end() || triplets->second == 0 ||
      spin_square == outcome.scalars.end() || spin_square->second <= largest_of_closed)
    return;
  throw base::Error(
      base::Errc::bad_input,
      fmt::format("triplets = true is for closed shells, but SCF found a solution with <S^2> = "
                  "{:.6f}: begin without its orbitals (--guess), or leave out triplets for states "
                  "of all multiplicities",
                  spin_square->second));
}

}  // namespace blockyard::method
