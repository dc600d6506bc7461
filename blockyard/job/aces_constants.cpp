// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/aces_constants.h"

#include <algorithm>
#include <string>

namespace blockyard::job {

namespace {

/// Adds what is not there yet.
class Constants {
 public:
  explicit Constants(worker::Environment& into) : into_(into) {}
  void add(const std::string& name, std::int64_t value) { into_.ints.emplace(name, value); }
  void add(const std::string& name, double value) { into_.scalars.emplace(name, value); }
  [[nodiscard]] std::int64_t number(const char* name) const {
    return into_.ints.find(name)->second;
  }
  [[nodiscard]] double scalar(const char* name) const { return into_.scalars.find(name)->second; }

 private:
  worker::Environment& into_;
};

/// For letter a: segments naocc navirt, orbitals naoccorb navirtorb.
void add_counts(const Orbitals& orbitals, const std::string& letter, Constants& constants) {
  constants.add("n" + letter + "occ", orbitals.occupied_segments);
  constants.add("n" + letter + "virt", orbitals.virtual_segments);
  constants.add("n" + letter + "occorb", orbitals.active_occupied);
  constants.add("n" + letter + "virtorb", orbitals.virtual_);
}

/// The kind mo: spin orbitals, occupied before virtual ones.
void add_spin_orbital_ranges(Constants& constants) {
  const std::int64_t occupied = constants.number("so_ebocc");
  const std::int64_t all = constants.number("so_ebvirt");
  constants.add("bocc", std::int64_t{1});
  constants.add("eocc", occupied);
  constants.add("bvirt", occupied + 1);
  constants.add("evirt", all);
  constants.add("nocc", occupied);
  constants.add("nvirt", all - occupied);
}

void add_iteration_constants(Constants& constants) {
  constants.add("scf_iter", constants.number("scf_iterations"));
  constants.add("cc_iter", constants.number("cc_iterations"));
  constants.add("scf_conv", constants.scalar("scf_density_convergence"));
  constants.add("cc_conv", constants.scalar("cc_amplitude_convergence"));
  constants.add("damp", constants.scalar("damping"));
  // First iteration and length of the history of DIIS.
  constants.add("scf_beg", std::int64_t{2});
  constants.add("scf_hist", std::int64_t{8});
  constants.add("cc_beg", std::int64_t{2});
  constants.add("cc_hist", std::int64_t{5});
  constants.add("diis_start", std::int64_t{2});
  constants.add("diis_order", std::int64_t{5});
  constants.add("lindep_tol", std::int64_t{9});  // smallest eigenvalue of the overlap: 10^-9
  constants.add("eom_roots", constants.number("roots"));
  constants.add("eom_subspc", std::int64_t{10});
  constants.add("eom_tol", constants.scalar("excited_convergence"));
  // What some programs begin with and put their own value into.
  constants.add("scf_energy", 0.0);
  constants.add("totenerg", 0.0);
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
    raise(environment, "n" + spin + "occ", segments, program);
    raise(environment, "n" + spin + "occorb", environment.segments.offset(kind, first->second),
          program);
  }
}

void add_aces_constants(const Chemistry& chemistry, worker::Environment& environment) {
  Constants constants(environment);
  const qc::AoBasis& basis = chemistry.system.integrals.basis();
  const auto atoms = static_cast<std::int64_t>(chemistry.system.molecule.atoms.size());
  constants.add("natoms", atoms);
  constants.add("ncenters", atoms);
  constants.add("nshells", static_cast<std::int64_t>(basis.shells.size()));
  constants.add("naos", basis.function_count);
  constants.add("nbasis_funcs", basis.function_count);
  constants.add("nbasis", basis.function_count);
  constants.add("intspherical", std::int64_t{basis.spherical ? 1 : 0});
  add_counts(chemistry.alpha, "a", constants);
  add_counts(chemistry.beta, "b", constants);
  add_spin_orbital_ranges(constants);
  add_iteration_constants(constants);
}

}  // namespace blockyard::job
