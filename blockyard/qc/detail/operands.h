// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "blockyard/super/super.h"

// What the entries of the tables ask of their operands.
namespace blockyard::qc::detail {

using base::Extent;
using super::Context;
using super::Operand;
using Operands = std::span<Operand>;

/// The value of a scalar or of a block of one element. Throws Error{bad_input} otherwise.
[[nodiscard]] double& scalar(Operand& operand);

/// The values of a square matrix. Throws Error{bad_input} unless it has two equal extents.
[[nodiscard]] std::span<double> square_matrix(Operand& operand);

/// For each index the number, from 0, of the first element in the whole range of its kind.
[[nodiscard]] std::vector<Extent> first_elements(const Operand& operand, const Context& context);

/// The same as orbitals: for a segment of spin orbitals (kind mo) after the last usual one, which
/// holds correlated or virtual orbitals of a closed shell, the number of its first orbital among
/// those of kind moa. Int constants correlated_segment, virtual_segment, first_long_virtual, baocc,
/// bavirt.
[[nodiscard]] std::vector<Extent> first_orbitals(const Operand& operand, const Context& context);

/// Orbital energies: the diagonal of a matrix, or all of an operand with one index.
[[nodiscard]] std::vector<double> orbital_energies(Operand& operand);

[[noreturn]] void refuse(const Operand& operand, std::string_view what);

}  // namespace blockyard::qc::detail
