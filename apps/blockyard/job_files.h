// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "blockyard/job/spec.h"

namespace blockyard::app {

/// What the files of a command line say: one job file or ZMAT, or SIAL programs in order. Warnings
/// go to standard error. Throws UsageError for a mixture, Error for what is wrong in a file.
[[nodiscard]] job::Spec read_job_files(const std::vector<std::string>& files);

}  // namespace blockyard::app
