// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "blockyard/qc/integrals.h"

namespace blockyard::qc {

/// A product of two basis functions, numbered from 0.
struct FunctionPair {
  Extent first = 0;
  Extent second = 0;  // at most `first`
  friend auto operator<=>(const FunctionPair&, const FunctionPair&) = default;
};

/// Products g_1, g_2, ... of basis functions whose span holds all of them so well that
///   0 <= (ab|ab) - sum over P,Q of (ab|g_P) [S^-1]_PQ (g_Q|ab) <= threshold,  S_PQ = (g_P|g_Q),
/// for every product ab: the pivots of an incomplete Cholesky decomposition of the repulsion
/// integrals, those of a pair of shells together, in the order of the shells.
/// Cost: n^2 / 2 integrals for each pivot, n^2 / 2 times pivots^2 flops, as many numbers as n^2 / 2
/// times pivots, which take at most `memory_bytes`. Throws Error{bad_input} unless the threshold is
/// between 1e-10 and 1, Error{no_memory} if they take more.
/// Sources: Beebe, Linderberg, Int. J. Quantum Chem. 12, 683 (1977); Folkestad, Kjonstad, Koch,
/// J. Chem. Phys. 150, 194112 (2019).
[[nodiscard]] std::vector<FunctionPair> cholesky_pivots(
    const Integrals& integrals, double threshold,
    std::int64_t memory_bytes = std::numeric_limits<std::int64_t>::max());

/// out(a,b,P) = (ab|g_P) for the functions of two ranges of shells and some pivots.
void pivot_integrals(IntegralEngine& engine, ShellRange a, ShellRange b,
                     std::span<const FunctionPair> pivots, std::span<double> out);

/// out(P,Q) = (g_P|g_Q)
void pivot_metric(IntegralEngine& engine, std::span<const FunctionPair> p,
                  std::span<const FunctionPair> q, std::span<double> out);

}  // namespace blockyard::qc
