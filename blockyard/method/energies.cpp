// SPDX-License-Identifier: Apache-2.0
#include "blockyard/method/energies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "blockyard/base/error.h"
#include "blockyard/method/excited_states.h"
#include "blockyard/method/methods.h"
#include "blockyard/qc/units.h"

namespace blockyard::method {

using Results = std::span<const ProgramResult>;

namespace {

double scalar(const ProgramResult& step, std::string_view name) {
  const auto found = step.outcome->scalars.find(name);
  base::require(found != step.outcome->scalars.end(),
                fmt::format("{} has a scalar {}", step.name, name));
  return found->second;
}

/// The first `count` values of a static array.
std::vector<double> first_values(const ProgramResult& step, std::string_view name,
                                 std::size_t count) {
  const auto found = step.outcome->arrays.find(name);
  base::require(found != step.outcome->arrays.end() && found->second.values.size() >= count,
                fmt::format("{} has an array {}", step.name, name));
  return {found->second.values.begin(),
          found->second.values.begin() + static_cast<std::ptrdiff_t>(count)};
}

void add_iterations(MethodResults& found, const ProgramResult& step, const std::string& method) {
  const double count = scalar(step, method + "_iterations_done");
  found.iterations.push_back({method, std::llround(count)});
}

void add_dipole(MethodResults& found, const ProgramResult& step, const std::string& method) {
  found.dipoles.push_back(
      {method, {scalar(step, "dipole_x"), scalar(step, "dipole_y"), scalar(step, "dipole_z")}});
}

/// The states of one of our programs, if it ran: `values` is its array of energies.
void add_excitations(MethodResults& found, const Chemistry* chemistry, Results results,
                     const std::string& key, const std::string& title, std::string_view values) {
  const ProgramResult* step = find_step(results, key);
  if (step == nullptr) return;
  const auto wanted = static_cast<std::size_t>(std::llround(scalar(*step, "states_found")));
  Excitations states{key, title, first_values(*step, values, wanted), {}};
  if (step->outcome->arrays.contains("singles_part"))
    states.singles_part = first_values(*step, "singles_part", wanted);
  if (chemistry != nullptr) describe_states(*chemistry, results, *step, states);
  found.excitations.push_back(std::move(states));
}

/// Whether a method of ours beyond SCF has no electron or no orbital to work with.
bool correlates_nothing(std::string_view method, const Chemistry* chemistry) {
  return chemistry != nullptr && !method.empty() && method_named(method).is_correlated &&
         !chemistry->has_excitations();
}

void add_scf(MethodResults& found, const Chemistry* chemistry, const ProgramResult& scf,
             Results results) {
  found.energies = {{"nuclear", "nuclear repulsion", scalar(scf, "nuclear_energy")},
                    {"scf", "SCF total", scalar(scf, "scf_energy")}};
  const ProgramResult* stability = find_step(results, "stability");
  if (stability == nullptr && scf.outcome->scalars.contains("is_stability_known")) stability = &scf;
  if (stability != nullptr && scalar(*stability, "is_stability_known") > 0.5)
    found.energies.push_back({"scf_stability", "SCF second derivative, lowest",
                              scalar(*stability, "hessian_eigenvalue")});
  if (chemistry != nullptr && scf.outcome->scalars.contains("spin_square")) {
    const double spin = 0.5 * (chemistry->system.molecule.multiplicity - 1);
    found.spin_square = {scalar(scf, "spin_square"), spin * (spin + 1)};
  }
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

void add_correlation(MethodResults& found, const Chemistry* chemistry, Results results) {
  if (const ProgramResult* mp2 = find_step(results, "mp2"))
    add_correlated(found, "mp2", scalar(*mp2, "mp2_correlation"));
  for (const std::string method : iterated_methods)
    if (const ProgramResult* iterated = find_step(results, method)) {
      add_correlated(found, method, scalar(*iterated, method + "_correlation"));
      add_iterations(found, *iterated, method);
    }
  if (const ProgramResult* lambda = find_step(results, "lambda")) {
    add_iterations(found, *lambda, "lambda");
    add_dipole(found, *lambda, "ccsd");
  }
  if (const ProgramResult* triples = find_step(results, "triples"))
    add_triples(found, scalar(*triples, "triples_correction"), scalar(*triples, "ccsd_t_energy"));
  add_excitations(found, chemistry, results, "cis", "CIS", "excitation_energies");
  add_excitations(found, chemistry, results, "cis_d", "CIS(D)", "cis_d_energies");
  add_excitations(found, chemistry, results, "eom_ccsd", "EOM-CCSD", "excitation_energies");
  for (const std::string method : {"cis", "eom_ccsd", "eom_left"})
    if (const ProgramResult* states = find_step(results, method))
      add_iterations(found, *states, method);
}

}  // namespace

double Dipole::length_debye() const {
  return std::hypot(e_bohr[0], e_bohr[1], e_bohr[2]) * qc::debye_per_au;
}

MethodResults method_results(std::string_view method, const Chemistry* chemistry,
                             std::span<const ProgramResult> results) {
  MethodResults found;
  const ProgramResult* scf = find_step(results, "scf");
  if (scf == nullptr) return found;
  add_scf(found, chemistry, *scf, results);
  if (correlates_nothing(method, chemistry))
    add_nothing(found, programs_of_method(method, {.unrestricted = chemistry->unrestricted}));
  else
    add_correlation(found, chemistry, results);
  return found;
}

std::string note_of(std::string_view method, const Chemistry* chemistry) {
  if (!correlates_nothing(method, chemistry)) return "";
  return fmt::format("nothing to correlate: {}; {} is the SCF energy",
                     chemistry->alpha.active_occupied + chemistry->beta.active_occupied == 0
                         ? "all electrons are in the frozen core"
                         : "no active electron has a virtual orbital of its spin",
                     method);
}

}  // namespace blockyard::method
