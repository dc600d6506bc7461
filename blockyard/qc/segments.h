// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "blockyard/qc/ao_basis.h"
#include "blockyard/qc/integrals.h"

namespace blockyard::qc {

/// The segments of the AO index: segment s holds extents[s] functions, those of shells[s].
struct AoSegments {
  std::vector<Extent> extents;
  std::vector<ShellRange> shells;
};

/// Parts the functions into segments of about `target` functions that split no shell and, where
/// that costs little, no atom. The least sum over the segments of
///   ((extent - target) / target)^2  +  1/8 if the segment ends inside an atom.
/// Throws Error{bad_input} if target < 1.
[[nodiscard]] AoSegments segment_shells(const AoBasis& basis, Extent target);

/// Segments of the extents that the user gave.
/// Throws Error{bad_input} if they do not add up to the number of functions, or if a boundary
/// splits a shell; it names the nearest boundaries that do not.
[[nodiscard]] AoSegments segments_of_extents(const AoBasis& basis, std::span<const Extent> extents);

}  // namespace blockyard::qc
