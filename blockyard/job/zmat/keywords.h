// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "blockyard/job/zmat/lines.h"
#include "blockyard/job/zmat/zmat.h"

namespace blockyard::job::zmat {

/// Puts the keywords of *ACES2( ) into the job; unknown ones into its warnings.
/// Throws Error{bad_input} for a value that makes no sense or asks for what we do not have.
void apply_keywords(const Parts& parts, ZmatJob& job);

/// Puts the section *SIP into the job: memory, sizes of segments, programs beside the input or
/// below the folders `programs`.
void apply_sip(const Parts& parts, const std::string& folder,
               const std::vector<std::string>& programs, ZmatJob& job);

}  // namespace blockyard::job::zmat
