// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace blockyard::bench {

/// One contraction: result-left-right in letters, the first index fastest, and the extents.
struct Case {
  std::string_view expression;
  std::string_view extents;  // "a48 b24 ..."; a lone number stands for all other letters
};

/// The contractions that published comparisons are made with, the largest operand about 200 MiB
/// where that does not take seconds, and the particle ladder of coupled cluster.
[[nodiscard]] std::span<const Case> large_cases();
/// All 48 of the public TCCG list (Springer and Bientinesi), scaled to run under a second each.
[[nodiscard]] std::span<const Case> tccg_cases();
/// Blocks of coupled cluster programs, 16 to 40 elements along each index.
[[nodiscard]] std::span<const Case> block_cases();

}  // namespace blockyard::bench
