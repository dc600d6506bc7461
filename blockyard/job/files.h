// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "blockyard/input/places.h"
#include "blockyard/input/spec.h"

/// The files that a job reads, and those that are to be written when it ends.
namespace blockyard::job {

/// The files that a job reads besides its own: programs and what they import, molecule, basis sets
/// and libraries of super instructions. No guess, over which a run may save.
[[nodiscard]] std::vector<std::string> files_read(const input::Spec& spec,
                                                  const input::Places& places);

/// Throws Error{io} if one of `outputs` could not be written in the end, Error{bad_input} if two of
/// them, or what the run keeps, or one of `inputs`, or a library of the run, are one file. Only a
/// run's `save` may be its guess. Empty names are no files, "-" is standard output.
void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs,
                   const input::RunSpec& run);

}  // namespace blockyard::job
