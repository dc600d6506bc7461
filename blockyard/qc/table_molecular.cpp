// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>

#include "blockyard/base/error.h"
#include "blockyard/qc/atomic_density.h"
#include "blockyard/qc/detail/operands.h"
#include "blockyard/qc/detail/table_parts.h"
#include "blockyard/qc/fock_batch.h"
#include "blockyard/qc/fragment_scf.h"
#include "blockyard/qc/fragments.h"
#include "blockyard/qc/table.h"

namespace blockyard::qc {
namespace {

using namespace detail;

constexpr std::string_view needs_fitting =
    "must have an index of kind la over the fitting functions: set integrals = \"cholesky\" or "
    "\"df\"";

/// The AO part of an index of a block: functions first .. first + extent - 1, those of `shells`.
struct AoPart {
  ShellRange shells;
  Extent first = 0;
};

/// The instructions of one table. Its entries hold one of these together, and with it the engines.
class Molecular {
 public:
  explicit Molecular(const System& system) : system_(system), engine_(system.integrals) {}

  /// return_ovl S
  void overlap(Operands operands, const Context&) {
    fill_matrix(operands, &IntegralEngine::overlap);
  }

  /// one_electron_kinetic T
  void kinetic(Operands operands, const Context&) {
    fill_matrix(operands, &IntegralEngine::kinetic);
  }

  /// one_electron_attraction V
  void attraction(Operands operands, const Context&) {
    fill_matrix(operands, &IntegralEngine::nuclear_attraction);
  }

  /// return_1el_ecpints U
  void core_potential(Operands operands, const Context&) {
    fill_matrix(operands, &IntegralEngine::core_potential);
  }

  /// return_h1 H:  kinetic energy and nuclear attraction, without effective core potentials
  void core_hamiltonian(Operands operands, const Context& context) {
    attraction(operands, context);
    scratch_.assign(operands[0].values.begin(), operands[0].values.end());
    kinetic(operands, context);
    std::transform(scratch_.begin(), scratch_.end(), operands[0].values.begin(),
                   operands[0].values.begin(), std::plus<>());
  }

  /// return_ovl_moi S fragment:  overlap of the functions of a fragment; 0 of others
  void overlap_in_fragment(Operands operands, const Context& context) {
    overlap(operands, context);
    keep_fragment(operands[0], atoms_of_fragment(context, scalar(operands[1])));
  }

  /// return_h1_moi H fragment:  kinetic energy and attraction of its nuclei, of its functions
  void core_hamiltonian_of_fragment(Operands operands, const Context& context) {
    const auto atoms = atoms_of_fragment(context, scalar(operands[1]));
    const auto [a, b] = matrix_parts(operands[0]);
    scratch_.resize(operands[0].values.size());
    engine_.nuclear_attraction_of(atoms, a.shells, b.shells, scratch_);
    kinetic(operands, context);
    std::transform(scratch_.begin(), scratch_.end(), operands[0].values.begin(),
                   operands[0].values.begin(), std::plus<>());
    keep_fragment(operands[0], atoms);
  }

  /// scf_atom_lowmem fragment ca cb fa fb:  coefficients of the orbitals of a fragment alone, for
  /// both spins, and their Fock matrices over these orbitals. The matrices may be larger: the rest
  /// is 0.
  void scf_of_fragment(Operands operands, const Context& context) {
    const auto atoms = atoms_of_fragment(context, scalar(operands[0]));
    const AoBasis& basis = system_.integrals.basis();
    const FragmentOrbitals orbitals =
        fragment_scf(system_.molecule, basis, engine_, atoms, guess_of(atoms));
    const std::size_t n = orbitals.energies.size();
    for (std::size_t k = 1; k <= 4; ++k) {
      const std::span<double> matrix = square_matrix(operands[k]);
      const auto edge = static_cast<std::size_t>(operands[k].extents[0]);
      if (edge < n) refuse(operands[k], "is too small to hold the orbitals of this fragment");
      std::ranges::fill(matrix, 0.0);
      for (std::size_t column = 0; column < n; ++column)
        if (k <= 2)
          std::copy_n(orbitals.coefficients.begin() + static_cast<std::ptrdiff_t>(column * n), n,
                      matrix.begin() + static_cast<std::ptrdiff_t>(column * edge));
        else
          matrix[column * (edge + 1)] = orbitals.energies[column];
    }
  }

  /// return_h1frag V fragment:  attraction of the nuclei of all other fragments that are not
  /// farther from it than the job's scalar elst_thresh, bohr
  void attraction_around_fragment(Operands operands, const Context& context) {
    const double fragment = scalar(operands[1]);
    const double farthest = context.scalar_constant("elst_thresh");
    std::vector<std::size_t> atoms;
    for (std::int64_t k = 1; k <= context.int_constant("nfrags"); ++k) {
      const auto other = static_cast<double>(k);
      if (other == fragment || distance_of_fragments(context, fragment, other) > farthest) continue;
      const auto more = atoms_of_fragment(context, other);
      atoms.insert(atoms.end(), more.begin(), more.end());
    }
    const auto [a, b] = matrix_parts(operands[0]);
    engine_.nuclear_attraction_of(atoms, a.shells, b.shells, operands[0].values);
  }

  /// compute_dipole_integrals D nuclear code:  code 1, 2, 3: D = <a|x|b>, y, z and
  /// nuclear = sum over A of Z_A X_A;  code 10, 11, 12: the nuclear part only. e bohr.
  void dipole(Operands operands, const Context&) {
    const auto code = std::llround(scalar(operands[2]));
    const auto axis = code >= 10 ? code - 10 : code - 1;
    if (axis < 0 || axis > 2) refuse(operands[2], "must be 1, 2, 3, 10, 11 or 12");
    scalar(operands[1]) =
        nuclear_dipole(nuclear_charges(system_.molecule),
                       positions(system_.molecule))[static_cast<std::size_t>(axis)];
    if (code >= 10) return;
    const auto [a, b] = matrix_parts(operands[0]);
    engine_.dipole(static_cast<Axis>(axis), a.shells, b.shells, operands[0].values);
  }

  /// compute_xyz_batch D fragment code:  code 1, 2, 3: D = <a|x|b>, y, z;  code 10, 11, 12 becomes
  /// x, y, z of the dipole moment of the fragment's nuclei, and D stays as it is. e bohr.
  void dipole_of_fragment(Operands operands, const Context& context) {
    double& code = scalar(operands[2]);
    const auto axis = std::llround(code >= 10 ? code - 10 : code - 1);
    if (axis < 0 || axis > 2) refuse(operands[2], "must be 1, 2, 3, 10, 11 or 12");
    if (code >= 10) {
      code =
          nuclear_dipole_of_fragment(context, scalar(operands[1]))[static_cast<std::size_t>(axis)];
      return;
    }
    const auto [a, b] = matrix_parts(operands[0]);
    engine_.dipole(static_cast<Axis>(axis), a.shells, b.shells, operands[0].values);
  }

  /// compute_nn_repulsion E, hartree
  void repulsion_of_nuclei(Operands operands, const Context&) {
    scalar(operands[0]) =
        nuclear_repulsion(nuclear_charges(system_.molecule), positions(system_.molecule));
  }

  /// compute_integral_batch V:  V(a,b,c,d) = (ab|cd)
  void electron_repulsion(Operands operands, const Context&) { repulsion_parts(operands[0]); }

  /// fitting_integrals V:  V(a,b,P) = (ab|g_P)
  void fitting_integrals(Operands operands, const Context& context) {
    if (operands[0].extents.size() != 3) refuse(operands[0], "must have three indexes");
    const ShellRange a = part(operands[0], 0).shells, b = part(operands[0], 1).shells;
    if (system_.pivots.empty())
      engine_.fitting(a, b, auxiliary(operands[0], 2), operands[0].values);
    else
      pivot_integrals(engine_, a, b, pivots(operands[0], 2, context), operands[0].values);
  }

  /// fitting_metric S:  S(P,Q) = (g_P|g_Q)
  void fitting_metric(Operands operands, const Context& context) {
    if (operands[0].extents.size() != 2) refuse(operands[0], "must have two indexes");
    if (system_.pivots.empty())
      engine_.fitting_metric(auxiliary(operands[0], 0), auxiliary(operands[0], 1),
                             operands[0].values);
    else
      pivot_metric(engine_, pivots(operands[0], 0, context), pivots(operands[0], 1, context),
                   operands[0].values);
  }

  /// atomic_density_guess D: the superposition of atomic densities, whole or a block of it.
  void guess(Operands operands, const Context&) {
    const auto [a, b] = matrix_parts(operands[0]);
    if (guess_.empty()) guess_ = atomic_densities(system_.molecule, system_.integrals.basis());
    const Extent n = system_.integrals.basis().function_count;
    const Extent rows = operands[0].extents[0];
    for (Extent j = 0; j < operands[0].extents[1]; ++j)
      std::copy_n(guess_.begin() + a.first + n * (b.first + j), rows,
                  operands[0].values.begin() + rows * j);
  }

  /// compute_ubatchK V Da Db Fa Fb:  V = (ab|cd), and Fa, Fb get its part (add_fock_batch).
  void fock_batch(FockBatch batch, Operands operands) {
    const auto parts = repulsion_parts(operands[0]);
    const Extent n = system_.integrals.basis().function_count;
    for (std::size_t k = 1; k < 5; ++k)
      if (std::ssize(square_matrix(operands[k])) != n * n)
        refuse(operands[k], "must be a whole matrix over the AO range");
    FockMatrices matrices{
        n, {operands[1].values, operands[2].values}, {operands[3].values, operands[4].values}};
    std::array<Extent, 4> extents{};
    std::array<Extent, 4> first{};
    for (std::size_t k = 0; k < 4; ++k) {
      extents[k] = operands[0].extents[k];
      first[k] = parts[k].first;
    }
    add_fock_batch(batch, operands[0].values, extents, first, matrices);
  }

 private:
  using MatrixIntegrals = void (IntegralEngine::*)(ShellRange, ShellRange, std::span<double>);
  void fill_matrix(Operands operands, MatrixIntegrals integrals) {
    const auto [a, b] = matrix_parts(operands[0]);
    (engine_.*integrals)(a.shells, b.shells, operands[0].values);
  }
  /// The part that index k of an operand selects: a segment, or the whole range.
  [[nodiscard]] AoPart part(const Operand& operand, std::size_t k) const {
    const auto& basis = system_.integrals.basis();
    const Extent extent = operand.extents[k];
    if (extent == basis.function_count) return {system_.integrals.all_shells(), 0};
    const auto segment = operand.segments[k];
    if (segment < 1 || segment > std::ssize(system_.segments.extents) ||
        system_.segments.extents[static_cast<std::size_t>(segment - 1)] != extent)
      refuse(operand, "must have indexes of the AO range");
    const ShellRange shells = system_.segments.shells[static_cast<std::size_t>(segment - 1)];
    return {shells, basis.shells[shells.first].first_function};
  }

  /// The pivots that index k of an operand selects.
  [[nodiscard]] std::span<const FunctionPair> pivots(const Operand& operand, std::size_t k,
                                                     const Context& context) const {
    const auto first = static_cast<std::size_t>(first_elements(operand, context)[k]);
    const auto count = static_cast<std::size_t>(operand.extents[k]);
    if (operand.kinds[k] != array::IndexKind::la || first + count > system_.pivots.size())
      refuse(operand, needs_fitting);
    return std::span(system_.pivots).subspan(first, count);
  }

  /// The shells of auxiliary functions that index k of an operand selects.
  [[nodiscard]] ShellRange auxiliary(const Operand& operand, std::size_t k) const {
    const auto segment = static_cast<std::size_t>(operand.segments[k] - 1);
    if (operand.kinds[k] != array::IndexKind::la || segment >= system_.fitting.extents.size() ||
        system_.fitting.extents[segment] != operand.extents[k])
      refuse(operand, needs_fitting);
    return system_.fitting.shells[segment];
  }

  [[nodiscard]] std::pair<AoPart, AoPart> matrix_parts(const Operand& operand) const {
    if (operand.extents.size() != 2) refuse(operand, "must have two indexes");
    return {part(operand, 0), part(operand, 1)};
  }

  /// The part of the superposed atomic densities that is on these atoms.
  std::vector<double> guess_of(std::span<const std::size_t> atoms) {
    const AoBasis& basis = system_.integrals.basis();
    const ShellRange range = shells_of_atoms(basis, atoms);
    if (guess_.empty()) guess_ = atomic_densities(system_.molecule, basis);
    const auto all = static_cast<std::size_t>(basis.function_count);
    const auto first = static_cast<std::size_t>(basis.shells[range.first].first_function);
    std::size_t n = 0;
    for (std::size_t k = 0; k < range.count; ++k)
      n += static_cast<std::size_t>(basis.shells[range.first + k].function_count);
    std::vector<double> part(n * n);
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i) part[i + n * j] = guess_[first + i + all * (first + j)];
    return part;
  }

  /// Zeroes the elements of functions that are not on these atoms.
  void keep_fragment(Operand& operand, const std::vector<std::size_t>& atoms) const {
    const auto [a, b] = matrix_parts(operand);
    const auto& shells = system_.integrals.basis().shells;
    const auto is_outside = [&](const AoPart& part) {
      std::vector<bool> result;
      for (std::size_t k = 0; k < part.shells.count; ++k) {
        const Shell& shell = shells[part.shells.first + k];
        result.insert(result.end(), static_cast<std::size_t>(shell.function_count),
                      std::ranges::find(atoms, shell.atom) == atoms.end());
      }
      return result;
    };
    const auto rows = is_outside(a), columns = is_outside(b);
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i] || columns[j]) operand.values[i + rows.size() * j] = 0.0;
  }

  /// Fills an operand with (ab|cd) and returns what its indexes select.
  std::array<AoPart, 4> repulsion_parts(Operand& operand) {
    if (operand.extents.size() != 4) refuse(operand, "must have four indexes");
    const std::array<AoPart, 4> parts = {part(operand, 0), part(operand, 1), part(operand, 2),
                                         part(operand, 3)};
    engine_.electron_repulsion(parts[0].shells, parts[1].shells, parts[2].shells, parts[3].shells,
                               operand.values);
    return parts;
  }

  const System& system_;
  IntegralEngine engine_;
  std::vector<double> scratch_;
  std::vector<double> guess_;  // empty until the first use
};

void nothing(Operands, const Context&) {}

}  // namespace

void add_molecular(super::Table& table, const System& system) {
  // Shared by the entries of this table, which need one set of engines together.
  const auto shared = std::make_shared<Molecular>(system);
  const auto add = [&](const char* name, const char* signature,
                       void (Molecular::*run)(Operands, const Context&),
                       std::vector<std::string> also = {}) {
    table.add({name, signature,
               [shared, run](Operands operands, const Context& context) {
                 ((*shared).*run)(operands, context);
               },
               std::move(also)});
  };
  // Scratch sizes are libint's own business.
  table.add({"compute_int_scratchmem", "uuu", nothing, {}});
  add("return_ovl", "w", &Molecular::overlap);
  add("return_h1", "w", &Molecular::core_hamiltonian);
  add("one_electron_kinetic", "w", &Molecular::kinetic);
  add("one_electron_attraction", "w", &Molecular::attraction);
  add("return_ovl_moi", "wr", &Molecular::overlap_in_fragment);
  add("return_h1_moi", "wr", &Molecular::core_hamiltonian_of_fragment);
  add("return_h1frag", "wr", &Molecular::attraction_around_fragment);
  add("scf_atom_lowmem", "rwwww", &Molecular::scf_of_fragment);
  add("return_1el_ecpints", "w", &Molecular::core_potential);
  add("compute_dipole_integrals", "wur", &Molecular::dipole);
  add("compute_xyz_batch", "uru", &Molecular::dipole_of_fragment);
  add("compute_nn_repulsion", "u", &Molecular::repulsion_of_nuclei, {"w"});
  add("compute_integral_batch", "w", &Molecular::electron_repulsion);
  add("fitting_integrals", "w", &Molecular::fitting_integrals);
  add("fitting_metric", "w", &Molecular::fitting_metric);
  add("atomic_density_guess", "w", &Molecular::guess);
  detail::add_scf_start(table, system);
  for (const auto& [name, batch] : {std::pair{"compute_ubatch1", FockBatch::all_different},
                                    std::pair{"compute_ubatch2", FockBatch::equal_bra},
                                    std::pair{"compute_ubatch4", FockBatch::all_different},
                                    std::pair{"compute_ubatch6", FockBatch::single},
                                    std::pair{"compute_ubatch7", FockBatch::equal_bra_ket},
                                    std::pair{"compute_ubatch8", FockBatch::bra_equals_ket}})
    table.add({name,
               "wrruu",
               [shared, batch](Operands operands, const Context&) {
                 shared->fock_batch(batch, operands);
               },
               {}});
}

void add_chemistry(super::Table& table, const System& system) {
  add_algebra(table);
  add_molecular(table, system);
}

}  // namespace blockyard::qc
