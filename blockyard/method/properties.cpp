// SPDX-License-Identifier: Apache-2.0
#include "blockyard/method/properties.h"

#include <array>
#include <span>

namespace blockyard::method {

using Results = std::span<const ProgramResult>;
using worker::DenseArray;

namespace {

/// A closed shell has the Fock matrix of its orbitals, `fock`.
void add_restricted(Properties& found, const ProgramResult& scf, Extent occupied) {
  const DenseArray* fock = find_array(scf, "fock");
  if (fock == nullptr) return;
  const Extent orbitals = fock->extents.at(0);
  OrbitalLevels levels{"both", occupied, {}};
  for (Extent p = 0; p < orbitals; ++p)
    levels.hartree.push_back(fock->values[static_cast<std::size_t>(p * (orbitals + 1))]);
  found.levels.push_back(std::move(levels));
}

void add_spin(Properties& found, const ProgramResult& scf, const std::string& spin,
              Extent occupied) {
  const std::string letter = spin.substr(0, 1);
  const DenseArray* orbitals = find_array(scf, "c" + letter);
  const DenseArray* fock = find_array(scf, "fock_" + letter);
  if (orbitals == nullptr || fock == nullptr) return;
  found.levels.push_back(
      {spin, occupied,
       qc::orbital_energies(orbitals->values, fock->values, orbitals->extents.at(0))});
}

/// Charges of a density of both spins.
AtomicCharges charges_of(const Chemistry& chemistry, const std::string& method,
                         std::span<const double> density, std::span<const double> overlap) {
  const std::vector<qc::Atom>& atoms = chemistry.system.molecule.atoms;
  const auto populations =
      qc::mulliken_populations(chemistry.system.integrals.basis(), atoms.size(), density, overlap);
  AtomicCharges charges{method, {}, {}};
  for (std::size_t atom = 0; atom < atoms.size(); ++atom)
    charges.e.push_back(atoms[atom].charge() - populations[atom]);
  return charges;
}

/// density: of a closed shell n * n; else n * n * 2, alpha and then beta.
AtomicCharges scf_charges(const Chemistry& chemistry, const DenseArray& density,
                          const DenseArray& overlap) {
  const std::span<const double> values = density.values;
  if (!chemistry.unrestricted) return charges_of(chemistry, "scf", values, overlap.values);
  const std::size_t half = values.size() / 2;
  std::vector<double> sum(half), difference(half);
  for (std::size_t k = 0; k < half; ++k) {
    sum[k] = values[k] + values[k + half];
    difference[k] = values[k] - values[k + half];
  }
  AtomicCharges charges = charges_of(chemistry, "scf", sum, overlap.values);
  charges.spin = qc::mulliken_populations(chemistry.system.integrals.basis(), charges.e.size(),
                                          difference, overlap.values);
  return charges;
}

void add_charges(Properties& found, const Chemistry& chemistry, Results results,
                 const ProgramResult& scf) {
  const DenseArray* overlap = find_array(scf, "overlap");
  const DenseArray* density = find_array(scf, "density");
  if (overlap == nullptr || density == nullptr) return;
  found.charges.push_back(scf_charges(chemistry, *density, *overlap));
  const ProgramResult* lambda = find_step(results, "lambda");
  if (lambda == nullptr) return;
  if (const DenseArray* correlated = find_array(*lambda, "density_of_dipole"))
    found.charges.push_back(charges_of(chemistry, "ccsd", correlated->values, overlap->values));
}

void add_diagnostics(Properties& found, Results results) {
  for (const std::string method : {"lccsd", "ccsd"}) {
    const ProgramResult* step = find_step(results, method);
    if (step == nullptr) continue;
    if (const DenseArray* t1 = find_array(*step, "t1"))
      found.diagnostics.push_back(
          {method, qc::singles_diagnostics(t1->values, t1->extents.at(0), t1->extents.at(1))});
  }
}

}  // namespace

std::optional<double> OrbitalLevels::homo() const {
  if (occupied == 0) return std::nullopt;
  return hartree.at(static_cast<std::size_t>(occupied - 1));
}

std::optional<double> OrbitalLevels::lumo() const {
  if (static_cast<std::size_t>(occupied) >= hartree.size()) return std::nullopt;
  return hartree[static_cast<std::size_t>(occupied)];
}

Properties properties_of(const Chemistry& chemistry, std::span<const ProgramResult> results) {
  Properties found;
  const ProgramResult* scf = find_step(results, "scf");
  if (scf == nullptr) return found;
  const auto occupied = [](const Orbitals& o) { return o.frozen + o.active_occupied; };
  if (chemistry.unrestricted) {
    add_spin(found, *scf, "alpha", occupied(chemistry.alpha));
    add_spin(found, *scf, "beta", occupied(chemistry.beta));
  } else {
    add_restricted(found, *scf, occupied(chemistry.alpha));
  }
  add_charges(found, chemistry, results, *scf);
  add_diagnostics(found, results);
  return found;
}

}  // namespace blockyard::method
