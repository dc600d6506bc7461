// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/sial/checked_expression.h"

/// Real or complex, single or double: of blocks, terms and values.
namespace blockyard::sial::detail {

using Arrays = std::vector<program::ArrayDecl>;

/// The type of what a selector reads.
[[nodiscard]] program::ElementType type_of(const Arrays& arrays, const program::Selector& selector);
/// The widest of the blocks of a factor; of conj, real or imag of it.
[[nodiscard]] program::ElementType type_of(const Arrays& arrays, const checked::Operand& operand);
/// The widest of its factors, complex if its number is.
[[nodiscard]] program::ElementType type_of(const Arrays& arrays, const checked::Term& term);
/// The widest of the terms.
[[nodiscard]] program::ElementType type_of(const Arrays& arrays,
                                           const std::vector<checked::Term>& sum);

/// A real value becomes a complex one; what is neither stays.
void make_complex(checked::Expr& value);
/// Of parts of which one is complex all become so, and the whole.
void unify(checked::Expr& value);

}  // namespace blockyard::sial::detail
