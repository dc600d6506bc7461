// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <set>
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

/// Where the jobs of a list save what later runs need. One thread.
class KeptFiles {
 public:
  /// Throws Error{bad_input} if an earlier job saves its own where this one would. Checkpoints, of
  /// which a job that fails leaves some, go to a folder of each job: scan.checkpoint,
  /// scan.checkpoint-2, ...
  void keep_apart(input::RunSpec& run);

 private:
  [[nodiscard]] bool is_new(const std::string& name);
  std::set<std::filesystem::path> taken_;
};

}  // namespace blockyard::job
