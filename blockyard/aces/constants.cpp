// SPDX-License-Identifier: Apache-2.0
#include "blockyard/aces/constants.h"

#include <algorithm>
#include <array>
#include <string>

#include "blockyard/qc/molecule.h"

namespace blockyard::aces {

using base::Extent;

namespace {

template <class Value>
Value given_or(const std::map<std::string, Value, std::less<>>& given, std::string_view key,
               Value usual) {
  const auto found = given.find(key);
  return found == given.end() ? usual : found->second;
}

/// For letter a: naocc, nalpha_virtual, bavirtorb, ... Numbers of orbitals count the frozen ones;
/// naoccorb and navirtorb are those in the segments baocc to eavirt.
void add_orbitals(const method::Orbitals& orbitals, const std::string& letter,
                  AcesConstants& constants) {
  const Extent occupied = orbitals.frozen + orbitals.active_occupied;
  auto& ints = constants.ints;
  ints["n" + letter + "occ"] = occupied;
  ints["n" + letter + "virt"] = orbitals.virtual_;
  ints[letter == "a" ? "nalpha_occupied" : "nbeta_occupied"] = occupied;
  ints[letter == "a" ? "nalpha_virtual" : "nbeta_virtual"] = orbitals.virtual_;
  ints["n" + letter + "occorb"] = orbitals.active_occupied;
  ints["n" + letter + "virtorb"] = orbitals.virtual_;
  ints["b" + letter + "virtorb"] = occupied + 1;
  ints["e" + letter + "virtorb"] = occupied + orbitals.virtual_;
  const Extent segments = orbitals.frozen_segments + orbitals.occupied_segments;
  ints["b" + letter + "occ"] = orbitals.frozen_segments + 1;
  ints["e" + letter + "occ"] = segments;
  ints["b" + letter + "virt"] = segments + 1;
  ints["e" + letter + "virt"] = segments + orbitals.virtual_segments;
}

/// The kind mo, which is as moa.
void add_mo(AcesConstants& constants) {
  auto& ints = constants.ints;
  ints["bocc"] = 1;
  ints["eocc"] = ints["eaocc"];
  ints["bvirt"] = ints["bavirt"];
  ints["evirt"] = ints["eavirt"];
  ints["nocc"] = ints["naocc"];
  ints["nvirt"] = ints["navirt"];
}

void add_basis(const qc::Molecule& molecule, const qc::AoBasis& basis, AcesConstants& constants) {
  auto& ints = constants.ints;
  const auto atoms = std::ssize(molecule.atoms);
  ints["natoms"] = ints["ncenters"] = atoms;
  ints["three_natoms"] = 3 * atoms;
  ints["nshells"] = ints["ntotshells"] = ints["n_c_funcs"] = std::ssize(basis.shells);
  std::int64_t primitives = 0;
  for (const qc::Shell& shell : basis.shells) primitives += std::ssize(shell.contraction.exponents);
  ints["nalphas"] = ints["npcoeffs"] = primitives;
  ints["naos"] = ints["nbasis"] = ints["nbasis_funcs"] = basis.function_count;
  ints["intspherical"] = basis.spherical ? 1 : 0;
  ints["max_shells"] = 5000;
  constants.scalars["nn_repulsion"] =
      qc::nuclear_repulsion(qc::nuclear_charges(molecule), qc::positions(molecule));
}

/// The constants that ACES gives to every job, whatever its input says.
void add_fixed(AcesConstants& constants) {
  constexpr std::array<std::pair<const char*, std::int64_t>, 22> ints = {
      {{"scf_beg", 2},     {"scf_hist", 6},   {"cc_beg", 2},         {"cc_hist", 6},
       {"diis_start", 2},  {"diis_order", 6}, {"lindep_tol", 8},     {"intgrl_tol", 14},
       {"damp_type", 0},   {"damp_tol", 10},  {"damp_end", 200},     {"lock_orbitals", 0},
       {"lock_orbocc", 0}, {"lshft_a1", 0},   {"lshft_b1", 0},       {"iecp_on", 0},
       {"ipseud", 0},      {"necp_atoms", 0}, {"max_ecp_angmom", 0}, {"max_ecp_prims", 0},
       {"nfrags", 0},      {"fromvar", 0}}};
  for (const auto& [name, value] : ints) constants.ints[name] = value;
  // Initial values that some programs replace by their own.
  for (const char* name : {"scfeneg", "scf_energy", "totenerg"}) constants.scalars[name] = 0;
  constexpr float any = 33.456F;
  constants.scalars["scalar1"] = any;
}

void add_cores(const qc::AoBasis& basis, AcesConstants& constants) {
  auto& ints = constants.ints;
  ints["iecp_on"] = basis.cores.empty() ? 0 : 1;
  ints["necp_atoms"] = std::ssize(basis.cores);
  for (const qc::PlacedCore& placed : basis.cores) {
    ints["max_ecp_angmom"] =
        std::max<std::int64_t>(ints["max_ecp_angmom"], placed.core.parts[0].angular_momentum);
    for (const qc::RadialPotential& part : placed.core.parts)
      ints["max_ecp_prims"] += std::ssize(part.powers);
  }
}

void add_options(const input::MethodSpec& method, AcesConstants& constants) {
  auto& ints = constants.ints;
  auto& scalars = constants.scalars;
  const auto number = [&](std::string_view key, std::int64_t usual) {
    return given_or(method.ints, key, usual);
  };
  const auto scalar = [&](std::string_view key, double usual) {
    return given_or(method.scalars, key, usual);
  };
  constexpr float usual_damping = 1 - 0.8F;  // to the last digit that ACES writes
  constexpr std::int64_t atomic = 1;
  ints["scf_iter"] = number("scf_iterations", 150);
  ints["cc_iter"] = number("cc_iterations", 50);
  ints["guess"] = number("scf_guess", atomic) == atomic ? 0 : 1;
  ints["eom_roots"] = number("roots", 3);
  ints["eom_subspc"] = 3 * ints["eom_roots"];
  scalars["scf_conv"] = scalar("scf_density_convergence", 1e-7);
  scalars["cc_conv"] = scalar("cc_amplitude_convergence", 1e-7);
  scalars["eom_tol"] = scalar("excited_convergence", 1e-6);
  scalars["damp"] = scalar("damping", usual_damping);
}

/// Constants that say where spin orbitals and long segments are in our table of the kind mo.
bool is_of_our_table(std::string_view name) {
  constexpr std::array<std::string_view, 5> others = {"correlated_segment", "virtual_segment",
                                                      "first_long_virtual", "last_long_virtual",
                                                      "segments_of_long"};
  return name.starts_with("so_") || std::ranges::find(others, name) != others.end();
}

bool executes(const program::Program& program, std::string_view name) {
  return std::ranges::find(program.specials, name, &program::SpecialDecl::name) !=
         program.specials.end();
}

/// The value of a predefined int is from now on that of the job and `more`.
void raise(const worker::Environment& environment, const std::string& name, std::int64_t more,
           program::Program& program) {
  const auto decl = std::ranges::find(program.ints, name, &program::IntDecl::name);
  const auto given = environment.ints.find(name);
  if (decl == program.ints.end() || !decl->is_predefined || given == environment.ints.end()) return;
  decl->is_predefined = false;
  decl->initial = given->second + more;
}

}  // namespace

void give_all_orbitals(const worker::Environment& environment, program::Program& program) {
  if (!executes(program, "return_h1") ||
      !(executes(program, "eigen_calc") || executes(program, "eigen_calc_sqr_inv")))
    return;
  for (const auto& [letter, kind] :
       {std::pair{"a", array::IndexKind::moa}, std::pair{"b", array::IndexKind::mob}}) {
    const std::string spin = letter;
    const auto first = environment.ints.find("b" + spin + "occ");
    if (first == environment.ints.end() || first->second < 2 ||
        first->second > environment.segments.count(kind))
      continue;
    const std::int64_t segments = first->second - 1;
    raise(environment, "b" + spin + "occ", -segments, program);
    raise(environment, "n" + spin + "occorb", environment.segments.offset(kind, first->second),
          program);
  }
}

AcesConstants aces_constants(const method::Chemistry& chemistry, const input::MethodSpec& method) {
  AcesConstants constants;
  add_fixed(constants);
  add_cores(chemistry.system.integrals.basis(), constants);
  add_options(method, constants);
  add_basis(chemistry.system.molecule, chemistry.system.integrals.basis(), constants);
  add_orbitals(chemistry.alpha, "a", constants);
  add_orbitals(chemistry.beta, "b", constants);
  add_mo(constants);
  constants.ints["norb"] = std::ssize(chemistry.system.segments.extents);
  constants.ints["reference"] = chemistry.unrestricted ? 1 : 0;
  return constants;
}

bool wants_our_orbitals(const program::Program& program) {
  return std::ranges::any_of(program.ints, [](const program::IntDecl& one) {
    return one.is_predefined && is_of_our_table(one.name);
  });
}

void set_aces_orbitals(const method::Chemistry& chemistry, worker::Environment& environment) {
  std::erase_if(environment.ints, [](const auto& one) { return is_of_our_table(one.first); });
  environment.segments.set(array::IndexKind::mo, chemistry.alpha.segments);
}

}  // namespace blockyard::aces
