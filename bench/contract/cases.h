// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "blockyard/tensor/shape.h"

namespace blockyard::bench {

/// One contraction in letters, result(left, right). i..n are occupied, the rest virtual indexes;
/// p..s atomic orbitals.
struct Case {
  std::string_view name;
  std::string_view result;
  std::string_view left;
  std::string_view right;
  base::Extent occupied;  // extent of a block along each kind of index
  base::Extent virtual_or_ao;
};

[[nodiscard]] constexpr bool is_occupied(char letter) { return letter >= 'i' && letter <= 'n'; }

/// The contractions of coupled cluster that cost most, in the index order of the amplitudes
/// t(a,i,b,j) that SIAL programs use, and some in other orders that need permutations.
inline constexpr std::array<Case, 12> cases = {{
    {"particle ladder, t(abij)", "abij", "abcd", "cdij", 16, 24},
    {"particle ladder, t(aibj)", "aibj", "acbd", "cidj", 16, 24},
    {"hole ladder", "aibj", "akbl", "kilj", 20, 30},
    {"ring", "aibj", "aick", "ckbj", 20, 32},
    {"ring, crossed", "abij", "acik", "kbcj", 20, 32},
    {"ring, exchange", "aibj", "ajck", "ckbi", 16, 40},
    {"quadratic, W(klij)", "kilj", "kcld", "cidj", 20, 24},
    {"quadratic, F(ac)", "ac", "kcld", "kald", 20, 32},
    {"F(bc) on t(aibj)", "aibj", "aicj", "bc", 20, 40},
    {"T1 on V(abcd)", "abci", "abcd", "di", 16, 30},
    {"T1 in the middle", "aibj", "akbj", "ik", 20, 40},
    {"transformation, 2nd index", "pirs", "pqrs", "qi", 16, 32},
}};

}  // namespace blockyard::bench
