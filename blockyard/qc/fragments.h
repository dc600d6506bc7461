// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "blockyard/super/super.h"

/// A molecule in fragments, as the job's arrays describe it: natoms_frag[f] atoms in fragment f,
/// watom_frag[f,k] the number of its k-th one; coords[3,atoms] in bohr, charge[atoms] in e;
/// w_frag_ao[s] the fragment that segment s of the AOs belongs to, w_frag_aocc, w_frag_avirt (and
/// w_frag_bocc, w_frag_bvirt) those of the occupied and virtual orbitals. All numbers from 1.
/// Throw Error{bad_input}, these functions, for a fragment that is not there and for arrays that
/// the job does not give or that contradict each other.
namespace blockyard::qc {

using base::Extent;
using super::Context;

/// The atoms of a fragment, from 0.
[[nodiscard]] std::vector<std::size_t> atoms_of_fragment(const Context& context, double fragment);

/// The least distance of an atom of one fragment and one of the other, bohr.
[[nodiscard]] double distance_of_fragments(const Context& context, double one, double other);

/// Repulsion of the nuclei of a fragment among each other, and of those of two different ones:
///   sum of Z_A Z_B / |R_A - R_B|, hartree. Of a fragment with itself: 0.
[[nodiscard]] double repulsion_in_fragment(const Context& context, double fragment);
[[nodiscard]] double repulsion_of_fragments(const Context& context, double one, double other);

/// Dipole moment of the nuclei of a fragment, sum of Z_A R_A, e bohr.
[[nodiscard]] std::array<double, 3> nuclear_dipole_of_fragment(const Context& context,
                                                               double fragment);

/// First and last of the segments that `owners` gives to a fragment, which stand together; from 1.
struct SegmentsOfFragment {
  Extent first = 0;
  Extent last = 0;
};
[[nodiscard]] SegmentsOfFragment segments_of_fragment(std::span<const double> owners,
                                                      double fragment);

/// The fragment of each segment of alpha orbitals: occupied ones, then virtual ones.
[[nodiscard]] std::vector<double> owners_of_orbitals(const Context& context);

/// The number of orbitals (`kind`) of a fragment in the segments before `segment`.
[[nodiscard]] Extent elements_of_fragment_before(const Context& context, array::IndexKind kind,
                                                 std::span<const double> owners, double fragment,
                                                 std::int64_t segment);

}  // namespace blockyard::qc
