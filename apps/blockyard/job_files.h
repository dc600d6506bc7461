// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "blockyard/job/spec.h"

namespace blockyard::app {

/// What the files of a command line say: one job file, ZMAT or .dat file, or SIAL programs in
/// order. The programs that a .dat file names are looked for in the folder `programs`, or beside
/// it. Warnings go to standard error. Throws UsageError for a mixture, Error for what is wrong in a
/// file.
[[nodiscard]] job::Spec read_job_files(const std::vector<std::string>& files,
                                       const std::string& programs = "");

}  // namespace blockyard::app
