// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/detail/operands.h"

#include <fmt/format.h>

#include "blockyard/base/error.h"

namespace blockyard::qc::detail {

double& scalar(Operand& operand) {
  if (operand.values.size() != 1) refuse(operand, "must be a scalar or hold one element");
  return operand.values[0];
}

std::span<double> square_matrix(Operand& operand) {
  if (operand.extents.size() != 2 || operand.extents[0] != operand.extents[1])
    refuse(operand, "must be a square matrix");
  return operand.values;
}

std::vector<Extent> first_elements(const Operand& operand, const Context& context) {
  base::require(context.segments != nullptr, "the segments of the job are known");
  std::vector<Extent> first;
  for (std::size_t k = 0; k < operand.extents.size(); ++k)
    first.push_back(context.segments->offset(operand.kinds[k], operand.segments[k]));
  return first;
}

namespace {

/// Whether the kind mo has spin orbitals and long segments; else it has the segments of moa.
bool has_our_orbitals(const Context& context) {
  return context.ints == nullptr || context.ints->contains("so_bvirt") ||
         context.ints->contains("correlated_segment");
}

}  // namespace

std::vector<Extent> first_orbitals(const Operand& operand, const Context& context) {
  std::vector<Extent> first = first_elements(operand, context);
  for (std::size_t k = 0; k < first.size(); ++k) {
    if (operand.kinds[k] != array::IndexKind::mo || !has_our_orbitals(context)) continue;
    const auto segment = operand.segments[k];
    const auto begin_of = [&](std::string_view constant) {
      return context.segments->offset(array::IndexKind::moa, context.int_constant(constant));
    };
    if (segment < context.int_constant("correlated_segment"))
      refuse(operand, "has an index over spin orbitals");
    if (segment == context.int_constant("correlated_segment"))
      first[k] = begin_of("baocc");
    else if (segment == context.int_constant("virtual_segment"))
      first[k] = begin_of("bavirt");
    else
      first[k] +=
          begin_of("bavirt") - context.segments->offset(array::IndexKind::mo,
                                                        context.int_constant("first_long_virtual"));
  }
  return first;
}

std::vector<double> orbital_energies(Operand& operand) {
  if (operand.extents.size() == 1) return {operand.values.begin(), operand.values.end()};
  const auto fock = square_matrix(operand);
  const auto n = static_cast<std::size_t>(operand.extents[0]);
  std::vector<double> energies(n);
  for (std::size_t k = 0; k < n; ++k) energies[k] = fock[k * (n + 1)];
  return energies;
}

void refuse(const Operand& operand, std::string_view what) {
  throw base::Error(base::Errc::bad_input, fmt::format("the operand {} {}", operand.name, what));
}

}  // namespace blockyard::qc::detail
