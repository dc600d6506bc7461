// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/qcschema.h"

#include <map>
#include <nlohmann/json.hpp>

#include "blockyard/job/method_results.h"
#include "blockyard/job/version.h"
#include "blockyard/qc/element.h"

namespace blockyard::report {

using job::Job;
using job::Results;
using method::Chemistry;
using method::Dipole;
using method::Energy;
using method::IterationCount;
using method::MethodResults;
using Json = nlohmann::ordered_json;

namespace {

/// Our keys of energies and what QCSchema calls them.
const std::map<std::string, std::string, std::less<>>& property_names() {
  static const std::map<std::string, std::string, std::less<>> names = {
      {"nuclear", "nuclear_repulsion_energy"},         {"scf", "scf_total_energy"},
      {"mp2_correlation", "mp2_correlation_energy"},   {"mp2", "mp2_total_energy"},
      {"ccsd_correlation", "ccsd_correlation_energy"}, {"ccsd", "ccsd_total_energy"},
      {"ccsd_t", "ccsd_prt_pr_total_energy"}};
  return names;
}

double energy_of(const MethodResults& found, std::string_view key) {
  for (const Energy& energy : found.energies)
    if (energy.key == key) return energy.hartree;
  return 0;
}

/// The energy of the method: the last total.
double return_energy(const MethodResults& found) {
  double energy = 0;
  for (const Energy& one : found.energies)
    if (one.title.ends_with(" total")) energy = one.hartree;
  return energy;
}

Json properties_json(const Job& job, const MethodResults& found) {
  const Chemistry& chemistry = *job.chemistry;
  Json json = {{"calcinfo_nbasis", chemistry.basis_functions()},
               {"calcinfo_nmo", chemistry.basis_functions()},
               {"calcinfo_nalpha", chemistry.alpha.frozen + chemistry.alpha.active_occupied},
               {"calcinfo_nbeta", chemistry.beta.frozen + chemistry.beta.active_occupied},
               {"calcinfo_natom", chemistry.system.molecule.atoms.size()},
               {"return_energy", return_energy(found)}};
  for (const Energy& energy : found.energies)
    if (const auto name = property_names().find(energy.key); name != property_names().end())
      json[name->second] = energy.hartree;
  for (const Energy& energy : found.energies)
    if (energy.key == "ccsd_t")
      json["ccsd_prt_pr_correlation_energy"] = energy.hartree - energy_of(found, "scf");
  for (const Dipole& dipole : found.dipoles) json[dipole.method + "_dipole_moment"] = dipole.e_bohr;
  for (const IterationCount& count : found.iterations)
    if (count.method == "scf" || count.method == "ccsd")
      json[count.method + "_iterations"] = count.count;
  return json;
}

Json molecule_json(const qc::Molecule& molecule) {
  Json json = {{"schema_name", "qcschema_molecule"}, {"schema_version", 2}};
  json["symbols"] = json["geometry"] = json["real"] = Json::array();
  for (const qc::Atom& atom : molecule.atoms) {
    json["symbols"].push_back(qc::element_symbol(atom.atomic_number));
    for (const double part : atom.position_bohr) json["geometry"].push_back(part);
    json["real"].push_back(!atom.is_ghost);
  }
  json["molecular_charge"] = molecule.charge;
  json["molecular_multiplicity"] = molecule.multiplicity;
  json["fix_com"] = json["fix_orientation"] = true;
  return json;
}

}  // namespace

std::string qcschema_text(const Job& job, const Results& results) {
  const MethodResults found = job::method_results(job, results);
  Json json = {{"schema_name", "qcschema_output"}, {"schema_version", 1}};
  json["molecule"] = molecule_json(job.chemistry->system.molecule);
  json["driver"] = "energy";
  json["model"] = {{"method", job.method}, {"basis", job.chemistry->basis_name}};
  json["keywords"] = Json::object();
  json["properties"] = properties_json(job, found);
  json["return_result"] = return_energy(found);
  json["success"] = results.unconverged.empty();
  if (!results.unconverged.empty())
    json["error"] = {{"error_type", "convergence_error"}, {"error_message", results.unconverged}};
  json["provenance"] = {
      {"creator", "Blockyard"}, {"version", job::version()}, {"routine", "blockyard run"}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace blockyard::report
