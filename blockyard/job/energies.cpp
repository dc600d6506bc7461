// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/energies.h"

#include <fmt/format.h>

#include <cmath>

#include "blockyard/base/error.h"

namespace blockyard::job {

namespace {

/// The program of a method, whatever its shells: scf_rhf or scf_uhf for "scf".
const StepResult* find_step(const Results& results, const std::string& method) {
  for (const StepResult& step : results.steps)
    if (step.name == method + "_rhf" || step.name == method + "_uhf") return &step;
  return nullptr;
}

double scalar(const StepResult& step, std::string_view name) {
  const auto found = step.outcome.scalars.find(name);
  base::require(found != step.outcome.scalars.end(),
                fmt::format("{} has a scalar {}", step.name, name));
  return found->second;
}

/// The first `count` values of a static array.
std::vector<double> first_values(const StepResult& step, std::string_view name, std::size_t count) {
  const auto found = step.outcome.arrays.find(name);
  base::require(found != step.outcome.arrays.end() && found->second.values.size() >= count,
                fmt::format("{} has an array {}", step.name, name));
  return {found->second.values.begin(),
          found->second.values.begin() + static_cast<std::ptrdiff_t>(count)};
}

void add_iterations(MethodResults& found, const StepResult& step, const std::string& method) {
  const double count = scalar(step, method + "_iterations_done");
  found.iterations.push_back({method, std::llround(count)});
  found.converged = scalar(step, "converged") > 0.5;
}

void add_dipole(MethodResults& found, const StepResult& step, const std::string& method) {
  found.dipoles.push_back(
      {method, {scalar(step, "dipole_x"), scalar(step, "dipole_y"), scalar(step, "dipole_z")}});
}

/// The states of one of our programs, if it ran: `values` is its array of energies.
void add_excitations(MethodResults& found, const Results& results, const std::string& key,
                     const std::string& title, std::string_view values) {
  const StepResult* step = find_step(results, key);
  if (step == nullptr) return;
  const auto wanted = static_cast<std::size_t>(std::llround(scalar(*step, "states_found")));
  Excitations states{key, title, first_values(*step, values, wanted), {}};
  if (step->outcome.arrays.contains("singles_part"))
    states.singles_part = first_values(*step, "singles_part", wanted);
  found.excitations.push_back(std::move(states));
}

}  // namespace

MethodResults method_results(const Results& results) {
  MethodResults found;
  const StepResult* scf = find_step(results, "scf");
  if (scf == nullptr) return found;
  const double scf_energy = scalar(*scf, "scf_energy");
  found.energies = {{"nuclear", "nuclear repulsion", scalar(*scf, "nuclear_energy")},
                    {"scf", "SCF total", scf_energy}};
  const StepResult* stability = find_step(results, "stability");
  if (stability == nullptr && scf->outcome.scalars.contains("is_stability_known")) stability = scf;
  if (stability != nullptr && scalar(*stability, "is_stability_known") > 0.5)
    found.energies.push_back({"scf_stability", "SCF second derivative, lowest",
                              scalar(*stability, "hessian_eigenvalue")});
  add_iterations(found, *scf, "scf");
  add_dipole(found, *scf, "scf");
  const auto add_correlated = [&](const StepResult& step, const std::string& key,
                                  const std::string& title) {
    const double correlation = scalar(step, key + "_correlation");
    found.energies.push_back({key + "_correlation", title + " correlation", correlation});
    found.energies.push_back({key, title + " total", scf_energy + correlation});
  };
  if (const StepResult* mp2 = find_step(results, "mp2")) add_correlated(*mp2, "mp2", "MP2");
  for (const auto& [key, title] : {std::pair{"lccd", "LCCD"}, std::pair{"lccsd", "LCCSD"},
                                   std::pair{"ccd", "CCD"}, std::pair{"ccsd", "CCSD"}})
    if (const StepResult* iterated = find_step(results, key)) {
      add_correlated(*iterated, key, title);
      add_iterations(found, *iterated, key);
    }
  if (const StepResult* lambda = find_step(results, "lambda")) {
    add_iterations(found, *lambda, "lambda");
    add_dipole(found, *lambda, "ccsd");
  }
  if (const StepResult* triples = find_step(results, "triples")) {
    const double total = scalar(*triples, "ccsd_t_energy");
    const double correction = scalar(*triples, "triples_correction");
    found.energies.push_back({"triples_correction", "(T) correction", correction});
    found.energies.push_back({"ccsd_t", "CCSD(T) total", total});
  }
  add_excitations(found, results, "cis", "CIS", "excitation_energies");
  add_excitations(found, results, "cis_d", "CIS(D)", "cis_d_energies");
  add_excitations(found, results, "eom_ccsd", "EOM-CCSD", "excitation_energies");
  for (const std::string method : {"cis", "eom_ccsd"})
    if (const StepResult* states = find_step(results, method))
      add_iterations(found, *states, method);
  return found;
}

}  // namespace blockyard::job
