// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/energies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "blockyard/base/error.h"
#include "blockyard/job/methods.h"

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

/// Whether a method of ours beyond SCF has no electron or no orbital to work with.
bool correlates_nothing(const Job& job) {
  return job.chemistry && !job.method.empty() && job.method != "scf" &&
         !job.chemistry->has_excitations();
}

void add_scf(MethodResults& found, const StepResult& scf, const Results& results) {
  found.energies = {{"nuclear", "nuclear repulsion", scalar(scf, "nuclear_energy")},
                    {"scf", "SCF total", scalar(scf, "scf_energy")}};
  const StepResult* stability = find_step(results, "stability");
  if (stability == nullptr && scf.outcome.scalars.contains("is_stability_known")) stability = &scf;
  if (stability != nullptr && scalar(*stability, "is_stability_known") > 0.5)
    found.energies.push_back({"scf_stability", "SCF second derivative, lowest",
                              scalar(*stability, "hessian_eigenvalue")});
  add_iterations(found, scf, "scf");
  add_dipole(found, scf, "scf");
}

/// A correlation energy above that of SCF.
void add_correlated(MethodResults& found, const std::string& key, double correlation) {
  std::string title = key;
  std::ranges::transform(title, title.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  found.energies.push_back({key + "_correlation", title + " correlation", correlation});
  found.energies.push_back({key, title + " total", found.energies[1].hartree + correlation});
}

void add_triples(MethodResults& found, double correction, double total) {
  found.energies.push_back({"triples_correction", "(T) correction", correction});
  found.energies.push_back({"ccsd_t", "CCSD(T) total", total});
}

constexpr std::array iterated_methods = {"lccd", "lccsd", "ccd", "ccsd"};

/// Zeros for what the programs of a method would have found.
void add_nothing(MethodResults& found, const std::vector<std::string>& programs) {
  const auto has = [&](const std::string& method) {
    return std::ranges::any_of(programs, [&](const std::string& name) {
      return name == method + "_rhf.sial" || name == method + "_uhf.sial";
    });
  };
  if (has("mp2")) add_correlated(found, "mp2", 0);
  for (const std::string method : iterated_methods)
    if (has(method)) add_correlated(found, method, 0);
  if (has("lambda")) found.dipoles.push_back({"ccsd", found.dipoles[0].e_bohr});
  if (has("triples")) add_triples(found, 0, found.energies[1].hartree);
}

void add_correlation(MethodResults& found, const Results& results) {
  if (const StepResult* mp2 = find_step(results, "mp2"))
    add_correlated(found, "mp2", scalar(*mp2, "mp2_correlation"));
  for (const std::string method : iterated_methods)
    if (const StepResult* iterated = find_step(results, method)) {
      add_correlated(found, method, scalar(*iterated, method + "_correlation"));
      add_iterations(found, *iterated, method);
    }
  if (const StepResult* lambda = find_step(results, "lambda")) {
    add_iterations(found, *lambda, "lambda");
    add_dipole(found, *lambda, "ccsd");
  }
  if (const StepResult* triples = find_step(results, "triples"))
    add_triples(found, scalar(*triples, "triples_correction"), scalar(*triples, "ccsd_t_energy"));
  add_excitations(found, results, "cis", "CIS", "excitation_energies");
  add_excitations(found, results, "cis_d", "CIS(D)", "cis_d_energies");
  add_excitations(found, results, "eom_ccsd", "EOM-CCSD", "excitation_energies");
  for (const std::string method : {"cis", "eom_ccsd"})
    if (const StepResult* states = find_step(results, method))
      add_iterations(found, *states, method);
}

}  // namespace

MethodResults method_results(const Job& job, const Results& results) {
  MethodResults found;
  const StepResult* scf = find_step(results, "scf");
  if (scf == nullptr) return found;
  add_scf(found, *scf, results);
  if (correlates_nothing(job))
    add_nothing(found, programs_of_method(job.method, job.chemistry->unrestricted));
  else
    add_correlation(found, results);
  return found;
}

std::string note_of(const Job& job) {
  if (!correlates_nothing(job)) return "";
  return fmt::format("nothing to correlate: {}; {} is the SCF energy",
                     job.chemistry->alpha.active_occupied + job.chemistry->beta.active_occupied == 0
                         ? "all electrons are in the frozen core"
                         : "no active electron has a virtual orbital of its spin",
                     job.method);
}

}  // namespace blockyard::job
