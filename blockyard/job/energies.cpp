// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/energies.h"

#include <fmt/format.h>

#include <cmath>

#include "blockyard/base/error.h"

namespace blockyard::job {

namespace {

const StepResult* find_step(const Results& results, std::string_view start) {
  for (const StepResult& step : results.steps)
    if (step.name.starts_with(start)) return &step;
  return nullptr;
}

double scalar(const StepResult& step, std::string_view name) {
  const auto found = step.outcome.scalars.find(name);
  base::require(found != step.outcome.scalars.end(),
                fmt::format("{} has a scalar {}", step.name, name));
  return found->second;
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

}  // namespace

MethodResults method_results(const Results& results) {
  MethodResults found;
  const StepResult* scf = find_step(results, "scf");
  if (scf == nullptr) return found;
  const double scf_energy = scalar(*scf, "scf_energy");
  found.energies = {{"nuclear", "nuclear repulsion", scalar(*scf, "nuclear_energy")},
                    {"scf", "SCF total", scf_energy}};
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
  return found;
}

}  // namespace blockyard::job
