// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/qc/atomic_density.h"
#include "blockyard/qc/detail/operands.h"
#include "blockyard/qc/detail/table_parts.h"
#include "blockyard/qc/scf_start.h"
#include "blockyard/qc/table.h"

// Super instructions of the SCF programs of the literature that our own programs do without.
namespace blockyard::qc {
namespace {

using namespace detail;

void nothing(Operands, const Context&) {}

/// a4_dscale C occupations spin
void run_dscale(Operands operands, const Context& context) {
  Operand& block = operands[0];
  if (block.extents.size() != 2) refuse(block, "must have two indexes");
  if (operands[1].extents.size() != 1) refuse(operands[1], "must have one index");
  scale_columns(block.values, block.extents[0], operands[1].values,
                first_elements(block, context)[1] - first_elements(operands[1], context)[0]);
}

/// a4_return_occupation overlaps occupations
void run_return_occupation(Operands operands, const Context&) {
  if (operands[0].extents.size() != 2) refuse(operands[0], "must have two indexes");
  occupy_most_alike(operands[0].values, operands[0].extents[0], operands[1].values);
}

/// a4_david_damp_factor changes damping:  changes = last, previous, average change of the energy
void run_damping(Operands operands, const Context&) {
  const auto changes = operands[0].values;
  if (changes.size() != 3) refuse(operands[0], "must hold three values");
  double& damping = scalar(operands[1]);
  damping = next_damping({changes[0], changes[1], changes[2]}, damping);
}

/// aoladder_contraction V Told Tnew
void run_ladder(Operands operands, const Context&) {
  for (const Operand& operand : operands)
    if (operand.extents.size() != 4) refuse(operand, "must have four indexes");
  const auto v = operands[0].extents, t = operands[1].extents;
  contract_ladder(operands[0].values, {v[0], v[1], v[2], v[3]}, operands[1].values, {t[1], t[3]},
                  operands[2].values);
}

/// Old programs declare it and never execute it, and what it does is nowhere described.
super::Function refuse_to_run(std::string instead) {
  return [instead = std::move(instead)](Operands, const Context&) {
    throw base::Error(
        base::Errc::bad_input,
        fmt::format("it may be declared, but not executed: what it computes is not known; {}",
                    instead));
  };
}

/// Writes half of `all`, the atomic_densities of the basis, where functions of this atom meet.
void put_half_density(const AoBasis& basis, std::span<const double> all, std::size_t atom,
                      std::span<double> density) {
  const auto n = static_cast<std::size_t>(basis.function_count);
  if (density.size() != n * n)
    throw base::Error(base::Errc::bad_input, "a density must be a matrix over the AO range");
  for (const Shell& b : basis.shells)
    for (const Shell& a : basis.shells) {
      if (a.atom != atom || b.atom != atom) continue;
      for (Extent j = b.first_function; j < b.first_function + b.function_count; ++j)
        for (Extent i = a.first_function; i < a.first_function + a.function_count; ++i) {
          const auto element = static_cast<std::size_t>(i) + n * static_cast<std::size_t>(j);
          density[element] = 0.5 * all[element];
        }
    }
}

}  // namespace

void detail::add_scf_steps(super::Table& table) {
  table.add({"set_flags2", "r", nothing, {}});
  table.add({"aoladder_contraction", "rru", run_ladder, {}});
  table.add({"a4_dscale", "urr", run_dscale, {}});
  table.add({"a4_return_occupation", "rw", run_return_occupation, {}});
  table.add({"a4_david_damp_factor", "ru", run_damping, {}});
}

void detail::add_scf_start(super::Table& table, const System& system) {
  // a4_get_init_occupation occupations spin:  spin 0 alpha, 1 beta
  table.add({"a4_get_init_occupation",
             "wr",
             [&system](Operands operands, const Context&) {
               const bool beta = scalar(operands[1]) != 0.0;
               occupy_lowest(operands[0].values,
                             beta ? beta_count(system.molecule) : alpha_count(system.molecule));
             },
             {}});
  // drop_core_in_sip C fock
  table.add({"drop_core_in_sip",
             "uu",
             [&system](Operands operands, const Context& context) {
               if (operands[0].extents.size() != 2) refuse(operands[0], "must have two indexes");
               const Extent left_out = first_elements(operands[0], context)[1];
               zero_columns(operands[0].values, operands[0].extents[0],
                            std::max(Extent{0}, usual_frozen_core(system.molecule) - left_out));
             },
             {}});
  // a4_scf_atom Da Db kinetic attraction overlap atom:  the block of this atom (from 1) of both
  // densities becomes half of its atomic_density
  table.add(
      {"a4_scf_atom",
       "wwrrrr",
       // Shared by copies of the entry, which are of one table and so of one thread.
       [&system, all = std::make_shared<std::vector<double>>()](Operands operands, const Context&) {
         const auto atom = std::llround(scalar(operands[5]));
         if (atom < 1 || atom > std::ssize(system.molecule.atoms))
           refuse(operands[5], "must be the number of an atom");
         const auto& basis = system.integrals.basis();
         if (all->empty()) *all = atomic_densities(system.molecule, basis);
         for (std::size_t spin = 0; spin < 2; ++spin)
           put_half_density(basis, *all, static_cast<std::size_t>(atom - 1),
                            square_matrix(operands[spin]));
       },
       {}});
  table.add({"compute_aabb_batch",
             "ww",
             refuse_to_run("compute_integral_batch fills any block of integrals"),
             {}});
  table.add({"scf_atom",
             "u",
             refuse_to_run("a4_scf_atom writes the density of an atom, atomic_density_guess that "
                           "of all atoms"),
             {}});
}

}  // namespace blockyard::qc
