// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "blockyard/base/integer.h"

namespace blockyard::qc {

using base::Extent;

/// One work item of the perturbative triples: occupied orbitals i_first .. i_last of segment i,
/// those of j, and all of segment k. Segments count from 1 (the first occupied one), orbitals of
/// the whole range from 1:  i, i_first, i_last, j, j_first, j_last, k.
using TriplesItem = std::array<Extent, 7>;

enum class TriplesSpins { aaa, aab };

/// The items of all three spins alike (segment i <= j <= k) or of two alike (i <= j, any k).
/// Occupied segments are cut into pieces of at most m orbitals, where m is 5 less the number of
/// segments that were not longer than m when their turn came, but at least 1; the pieces of a
/// segment are equally long, the rest goes to the last.
/// occupied  extents of the occupied segments
/// first     orbitals before them
[[nodiscard]] std::vector<TriplesItem> triples_items(std::span<const Extent> occupied, Extent first,
                                                     TriplesSpins spins);

}  // namespace blockyard::qc
