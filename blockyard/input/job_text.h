// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "blockyard/input/spec.h"

namespace blockyard::input {

/// A job as the text of a job file: read_job_file gives the same job back. Names of files become
/// those seen from `folder`, where the job file will be; empty: they are written as they are.
/// Bytes of texts that are not UTF-8 are replaced. Throws Error{bad_input} if a name has some.
[[nodiscard]] std::string job_text(const Spec& spec, const std::string& folder = "");

}  // namespace blockyard::input
