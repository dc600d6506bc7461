// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blockyard/base/error.h"
#include "blockyard/qc/block_arithmetic.h"
#include "blockyard/qc/denominators.h"
#include "blockyard/qc/detail/operands.h"
#include "blockyard/qc/detail/table_parts.h"
#include "blockyard/qc/energy_kernels.h"
#include "blockyard/qc/linear_algebra.h"
#include "blockyard/qc/table.h"

// The entries only unpack operands; the headers of the functions they call say what is computed.
namespace blockyard::qc {
namespace {

using namespace detail;

/// The int constant of the job, or `otherwise` if it gives none.
std::int64_t constant_or(const Context& context, std::string_view name, std::int64_t otherwise) {
  if (context.ints == nullptr || !context.ints->contains(name)) return otherwise;
  return context.int_constant(name);
}

void check_same_size(const Operand& a, const Operand& b) {
  if (a.values.size() != b.values.size()) refuse(b, "must have the shape of the first one");
}

/// eigen_calc A B
void run_eigen_calc(Operands operands, const Context&) {
  check_same_size(operands[0], operands[1]);
  eigen_calc(square_matrix(operands[0]), square_matrix(operands[1]));
}

/// eigen_calc_sqr_inv A B [dropped]; int constant lindep_tol (9): smallest eigenvalue
/// 10^-lindep_tol. Throws for a smaller one if there is no scalar for their number.
void run_eigen_calc_sqr_inv(Operands operands, const Context& context) {
  check_same_size(operands[0], operands[1]);
  const auto digits = constant_or(context, "lindep_tol", 9);
  const Extent dropped = eigen_calc_sqr_inv(square_matrix(operands[0]), square_matrix(operands[1]),
                                            std::pow(10.0, -static_cast<double>(digits)));
  if (operands.size() > 2)
    scalar(operands[2]) = static_cast<double>(dropped);
  else if (dropped > 0)
    throw base::Error(
        base::Errc::bad_input,
        fmt::format("the basis is linearly dependent: {} eigenvalue{} of the overlap below 1e-{}; "
                    "use fewer diffuse functions, or allow smaller ones by a larger constant "
                    "lindep_tol, at the cost of digits",
                    dropped, dropped == 1 ? "" : "s", digits));
}

/// gen_eigen_calc A left right values
void run_gen_eigen_calc(Operands operands, const Context&) {
  check_same_size(operands[0], operands[1]);
  check_same_size(operands[0], operands[2]);
  if (std::ssize(operands[3].values) != operands[0].extents[0])
    refuse(operands[3], "must hold one value for each column");
  gen_eigen_calc(square_matrix(operands[0]), square_matrix(operands[1]), square_matrix(operands[2]),
                 operands[3].values);
}

/// compute_diis B
void run_compute_diis(Operands operands, const Context&) {
  compute_diis(square_matrix(operands[0]));
}

/// check_dconf block largest
void run_check_dconf(Operands operands, const Context&) {
  scalar(operands[1]) = largest_magnitude(operands[0].values);
}

/// return_sval block value
void run_return_sval(Operands operands, const Context&) {
  scalar(operands[1]) = scalar(operands[0]);
}

/// return_diagonal_elements block
void run_return_diagonal_elements(Operands operands, const Context&) {
  keep_diagonal(operands[0].values, operands[0].extents);
}

/// return_diagonal block sum
void run_return_diagonal(Operands operands, const Context& context) {
  scalar(operands[1]) = trace_of_diagonal(operands[0].values, operands[0].extents,
                                          first_elements(operands[0], context));
}

/// remove_diagonal block
void run_remove_diagonal(Operands operands, const Context&) {
  remove_diagonal(operands[0].values, operands[0].extents);
}

/// form_diagonal_unit_matrix block exponent
void run_form_diagonal_unit_matrix(Operands operands, const Context&) {
  form_diagonal_unit_matrix(operands[0].values, operands[0].extents, scalar(operands[1]));
}

/// invert_diagonal t by
void run_invert_diagonal(Operands operands, const Context&) {
  divide_where_nonzero(operands[0].values, operands[1].values);
}

/// invert_diagonal_asym t by
void run_invert_diagonal_asym(Operands operands, const Context& context) {
  divide_where_nonzero(operands[0].values, operands[1].values);
  zero_equal_orbitals(operands[0].values, operands[0].extents,
                      first_elements(operands[0], context));
}

/// anti_symm_o t
void run_anti_symm_o(Operands operands, const Context& context) {
  antisymmetrise_occupied(operands[0].values, operands[0].extents,
                          first_elements(operands[0], context));
}

/// anti_symm_v t
void run_anti_symm_v(Operands operands, const Context& context) {
  antisymmetrise_virtual(operands[0].values, operands[0].extents,
                         first_elements(operands[0], context));
}

/// stripi source part: indexes of `part` that are simple hold orbital numbers, from 1.
void run_stripi(Operands operands, const Context& context) {
  Operand& source = operands[0];
  Operand& part = operands[1];
  if (source.extents.size() != part.extents.size())
    refuse(part, "must have as many indexes as the first one");
  const auto in = first_elements(source, context);
  const auto out = first_elements(part, context);
  std::vector<Extent> at;
  for (std::size_t k = 0; k < in.size(); ++k) at.push_back(out[k] - in[k]);
  copy_part(source.values, source.extents, at, part.values, part.extents);
}

/// copy_overlap from to
void run_copy_overlap(Operands operands, const Context& context) {
  copy_overlap(operands[0].values, operands[0].extents, first_orbitals(operands[0], context),
               operands[1].values, operands[1].extents, first_orbitals(operands[1], context));
}

/// For each index of t the number of its first orbital among those that `fock` has.
std::vector<Extent> first_energies(const Operand& t, const Operand& fock, const Context& context) {
  std::vector<Extent> first = first_elements(t, context);
  if (fock.extents.empty()) refuse(fock, "must have orbitals as an index");
  const Extent before = first_elements(fock, context)[0];
  for (Extent& orbital : first) orbital -= before;
  return first;
}

/// energy_denominator_rhf t fock
void run_energy_denominator(Operands operands, const Context& context) {
  divide_by_energies(operands[0].values, operands[0].extents,
                     first_energies(operands[0], operands[1], context),
                     orbital_energies(operands[1]));
}

/// energy_numerator_rhf t fock
void run_energy_numerator(Operands operands, const Context& context) {
  multiply_by_energies(operands[0].values, operands[0].extents,
                       first_energies(operands[0], operands[1], context),
                       orbital_energies(operands[1]));
}

/// energy_ty_denominator_rhf t fock omega
void run_energy_ty_denominator(Operands operands, const Context& context) {
  divide_by_energies(operands[0].values, operands[0].extents,
                     first_energies(operands[0], operands[1], context),
                     orbital_energies(operands[1]), scalar(operands[2]));
}

/// cis_unit_guess vectors diagonal
void run_cis_unit_guess(Operands operands, const Context&) {
  if (operands[0].extents.empty()) refuse(operands[0], "must have the vector number as an index");
  unit_guess(operands[0].values, operands[0].extents[0], operands[1].values);
}

/// combine_spins alpha beta both:  static orbitals AO x moa, AO x mob, AO x mo.
/// Int constants baocc, bavirt, bbocc, bbvirt: first segments of the moa and the mob range.
void run_combine_spins(Operands operands, const Context& context) {
  for (std::size_t k = 0; k < 3; ++k)
    if (operands[k].extents.size() != 2 || operands[k].extents[0] != operands[0].extents[0])
      refuse(operands[k], "must be a matrix with as many rows as the first one");
  const auto columns = [&](array::IndexKind kind, std::string_view first,
                           std::string_view first_virtual) {
    return ActiveColumns{context.segments->offset(kind, context.int_constant(first)),
                         context.segments->offset(kind, context.int_constant(first_virtual))};
  };
  combine_columns(operands[0].values, columns(array::IndexKind::moa, "baocc", "bavirt"),
                  operands[1].values, columns(array::IndexKind::mob, "bbocc", "bbvirt"),
                  operands[0].extents[0], operands[2].values);
}

}  // namespace

void add_algebra(super::Table& table) {
  table.add({"eigen_calc", "uu", run_eigen_calc, {}});
  table.add({"eigen_calc_sqr_inv", "uuu", run_eigen_calc_sqr_inv, {"uu"}});
  table.add({"gen_eigen_calc", "uuuu", run_gen_eigen_calc, {}});
  table.add({"compute_diis", "u", run_compute_diis, {}});
  table.add({"check_dconf", "rw", run_check_dconf, {"ru"}});
  table.add({"return_sval", "rw", run_return_sval, {"ru"}});
  table.add({"return_diagonal_elements", "u", run_return_diagonal_elements, {}});
  table.add({"return_diagonal", "uu", run_return_diagonal, {"uw"}});
  table.add({"remove_diagonal", "u", run_remove_diagonal, {}});
  table.add({"form_diagonal_unit_matrix", "ur", run_form_diagonal_unit_matrix, {}});
  table.add({"invert_diagonal", "ur", run_invert_diagonal, {}});
  table.add({"invert_diagonal_asym", "ur", run_invert_diagonal_asym, {}});
  table.add({"anti_symm_o", "u", run_anti_symm_o, {}});
  table.add({"anti_symm_v", "u", run_anti_symm_v, {}});
  table.add({"stripi", "ru", run_stripi, {"rw"}});
  table.add({"copy_overlap", "ru", run_copy_overlap, {}});
  table.add({"energy_denominator_rhf", "ur", run_energy_denominator, {}, {}, dividing_form(false)});
  table.add({"energy_numerator_rhf", "ur", run_energy_numerator, {}, {}, multiplying_form()});
  table.add(
      {"energy_ty_denominator_rhf", "urr", run_energy_ty_denominator, {}, {}, dividing_form(true)});
  table.add({"cis_unit_guess", "ur", run_cis_unit_guess, {"wr"}});
  table.add({"combine_spins", "rrw", run_combine_spins, {}});
  detail::add_scf_steps(table);
  detail::add_triples(table);
  detail::add_fragments(table);
}

}  // namespace blockyard::qc
