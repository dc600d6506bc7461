// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/detail/properties_json.h"

#include <nlohmann/json.hpp>

#include "blockyard/job/method_results.h"

namespace blockyard::report::detail {

namespace {

using Json = nlohmann::ordered_json;

Json geometry_json(const qc::Molecule& molecule) {
  Json json = {{"atoms", Json::array()}, {"bohr", Json::array()}};
  for (const qc::Atom& atom : molecule.atoms) {
    json["atoms"].push_back(qc::name_of(atom));
    json["bohr"].push_back(atom.position_bohr);
  }
  json["charge"] = molecule.charge;
  json["multiplicity"] = molecule.multiplicity;
  return json;
}

Json levels_json(const method::OrbitalLevels& levels) {
  Json json = {{"spin", levels.spin}, {"occupied", levels.occupied}, {"hartree", levels.hartree}};
  if (const auto homo = levels.homo()) json["homo"] = *homo;
  if (const auto lumo = levels.lumo()) json["lumo"] = *lumo;
  return json;
}

Json leading_json(const std::vector<method::LeadingExcitation>& leading) {
  Json json = Json::array();
  for (const method::LeadingExcitation& one : leading)
    json.push_back({{"from", one.from}, {"to", one.to}, {"amplitude", one.amplitude}});
  return json;
}

}  // namespace

void add_state_details(Json& json, const method::Excitations& states) {
  for (const auto& leading : states.leading) json["leading"].push_back(leading_json(leading));
  if (states.oscillator.empty()) return;
  json["transition_dipoles"] = states.transition_dipoles;
  json["oscillator"] = states.oscillator;
}

void add_properties(Json& json, const job::Job& job, const job::Results& results) {
  if (!job.chemistry) return;
  json["geometry"] = geometry_json(job.chemistry->system.molecule);
  if (job.method.empty()) return;
  json["dipoles_debye"] = Json::object();
  for (const method::Dipole& dipole : job::method_results(job, results).dipoles)
    json["dipoles_debye"][dipole.method] = dipole.length_debye();
  const method::Properties found = job::properties_of(job, results);
  json["orbitals"] = Json::array();
  for (const method::OrbitalLevels& levels : found.levels)
    json["orbitals"].push_back(levels_json(levels));
  json["charges"] = Json::object();
  for (const method::AtomicCharges& charges : found.charges) {
    json["charges"][charges.method] = {{"mulliken", charges.e}};
    if (!charges.spin.empty()) json["charges"][charges.method]["spin"] = charges.spin;
  }
  json["diagnostics"] = Json::object();
  for (const method::MethodDiagnostics& one : found.diagnostics)
    json["diagnostics"][one.method] = {{"t1", one.singles.t1}, {"d1", one.singles.d1}};
}

}  // namespace blockyard::report::detail
