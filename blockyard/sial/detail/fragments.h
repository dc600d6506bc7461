// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "blockyard/sial/ast.h"

namespace blockyard::sial::detail {

/// The conditions that a policy of ACES4's fragment programs adds to the where clauses of a pardo;
/// nothing if the pragma is none of them, or does not suit the number of indexes. The name says
/// which, for the 32 of ACES4 and every other of this form:
///   [Where]Frag{i}{letters}{}    [Where]Frag{[N][R]ij}{letters}{letters}
/// i, j       the first, and for ij the second index of the pardo: fragments
/// letters    one for each further index: of fragment i in the second braces, of j in the third
///   a          swao_frag[(index)mu] == the number of the fragment
///   o v p      swmoa_frag[(index)a] == the number of the fragment
/// ij         elst_dist[i,j] == i; with R: rcut_dist[i,j] == i
/// N          i != j
[[nodiscard]] std::optional<std::vector<ast::Expr>> fragment_conditions(const ast::Pardo& loop);

}  // namespace blockyard::sial::detail
