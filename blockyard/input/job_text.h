// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "blockyard/input/spec.h"

namespace blockyard::input {

/// A job as the text of a job file: read_job_file gives the same job back. Names of files become
/// those seen from `folder`, where the job file will be; empty: they are written as they are.
[[nodiscard]] std::string job_text(const Spec& spec, const std::string& folder = "");

}  // namespace blockyard::input
