// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "blockyard/aces/zmat/lines.h"
#include "blockyard/aces/zmat/zmat.h"

namespace blockyard::aces::zmat {

/// Puts the keywords of *ACES2( ) into the job; unknown ones into its warnings.
/// Throws Error{bad_input} for an invalid value or one that requests a missing feature.
void apply_keywords(const Parts& parts, ZmatJob& job);

/// Puts the section *SIP into the job: memory, sizes of segments, programs next to the input or
/// below the folders `programs`.
void apply_sip(const Parts& parts, const std::string& folder,
               const std::vector<std::string>& programs, ZmatJob& job);

/// Puts the section *FRAGLIST into the job, if there is one: arrays natoms_frag and watom_frag,
/// scalars r_thresh and elst_thresh (bohr). Its lines: the number of fragments and two distances;
/// how many atoms each has; for each fragment a line with the numbers of its atoms, from 1.
void apply_fragments(const Parts& parts, ZmatJob& job);

}  // namespace blockyard::aces::zmat
