// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "blockyard/job/spec.h"
#include "blockyard/sial/diagnostic.h"

namespace blockyard::app {

/// What the files of a command line say: one job file, ZMAT or .dat file, or SIAL programs in
/// order. The programs that a .dat file or a ZMAT names are looked for in the folders `programs`
/// and those in them; without any, beside it. Warnings go to standard error. Throws UsageError for
/// a mixture, Error for what is wrong in a file.
[[nodiscard]] job::Spec read_job_files(const std::vector<std::string>& files,
                                       const std::vector<std::string>& programs = {});

/// Tells what was found in programs, but names that are never used by their number only: they harm
/// no run, and older programs declare dozens.
void tell_diagnostics(const std::vector<sial::Diagnostic>& found);

}  // namespace blockyard::app
