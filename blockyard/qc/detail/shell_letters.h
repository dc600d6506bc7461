// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "blockyard/qc/basis_set.h"

namespace blockyard::qc::detail {

inline constexpr std::string_view shell_letters = "spdfghik";

/// Angular momenta of a shell name in any letter case: {0} of "S", {0, 1} of "SP" and of "L".
[[nodiscard]] std::optional<std::vector<int>> parse_shell_letters(std::string_view word);

/// One row of a shell: its exponent, then one coefficient for each contraction.
using PrimitiveRow = std::vector<double>;

/// Throws Error{bad_input} unless every word is a number (the exponent positive) and there are
/// `columns` of them (any number from 2 on if `columns` is 0).
[[nodiscard]] PrimitiveRow parse_primitive(const std::vector<std::string_view>& words,
                                           std::size_t columns);

/// Segmented contractions of rows that share their exponents. With one angular momentum each
/// column is a shell of it; with two, column k belongs to the k-th one.
/// Throws Error{bad_input} if there are no rows, or a column has only zeros.
[[nodiscard]] std::vector<Contraction> segment_contractions(const std::vector<int>& momenta,
                                                            const std::vector<PrimitiveRow>& rows);

/// Adds the contractions of a shell to those of its element. Throws Error{bad_input} if one of them
/// is there before: so is what was written or pasted twice, and functions would be dependent.
void add_shell(std::vector<Contraction> shell, std::vector<Contraction>& of_element);

}  // namespace blockyard::qc::detail
