// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "blockyard/input/spec.h"

namespace blockyard::input {

/// A job as the text of a job file: read_job_file gives the same job back. Names of files are
/// written as they are.
[[nodiscard]] std::string job_text(const Spec& spec);

}  // namespace blockyard::input
