// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "blockyard/input/spec.h"

namespace blockyard::input {

/// Reads a job file (docs/how_to/job_file.md). Names of files in it are relative to its folder.
/// Throws Error{io} if it cannot be read, and Error{bad_input} that begins with "file:line:" for an
/// unknown key (it names the nearest one), a value of another type or out of range, or
/// keys that do not go together.
[[nodiscard]] Spec read_job_file(const std::string& path);

/// Reads the text of a job file; `path` names it in errors, names in it are relative to `folder`.
[[nodiscard]] Spec parse_job(std::string_view text, const std::string& path,
                             const std::string& folder);

/// Throws Error{bad_input} if there is neither a method nor a program, both, a method without a
/// molecule, or a molecule without a basis, with what to add.
void check_spec(const Spec& spec);

}  // namespace blockyard::input
