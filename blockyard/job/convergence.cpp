// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/convergence.h"

#include <fmt/format.h>

#include "blockyard/base/error.h"

namespace blockyard::job {

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

void check_converged(const std::string& program, const worker::Environment& environment,
                     const worker::Outcome& outcome, const std::string& saved) {
  if (has_converged(outcome)) return;
  if (program.starts_with("cis") || program.starts_with("eom"))
    throw base::Error(
        base::Errc::bad_input,
        fmt::format("{}: the excited states did not converge in {} iterations; try in [method]: "
                    "more cc_iterations, or more roots (states that lie close to the last one)",
                    program, most_iterations(environment, "cc_iterations")));
  const bool is_scf = program.starts_with("scf");
  const std::string_view option = is_scf ? "scf_iterations" : "cc_iterations";
  throw base::Error(
      base::Errc::bad_input,
      fmt::format("{} did not converge in {} iterations; try in [method]: {}", program,
                  most_iterations(environment, option),
                  is_scf ? "level_shift = 0.3, scf_guess = \"core\", or more scf_iterations; and "
                           "look at the geometry and the charge"
                         : "more cc_iterations; and look whether one determinant describes the "
                           "molecule (stretched bonds?), and at the geometry") +
          (saved.empty() ? "" : fmt::format(". To go on from where it stands: --guess {}", saved)));
}

}  // namespace blockyard::job
