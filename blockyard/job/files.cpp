// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/files.h"

#include <fmt/format.h>

#include <system_error>

#include "blockyard/base/error.h"
#include "blockyard/input/words.h"
#include "blockyard/job/program_file.h"
#include "blockyard/store/apart.h"
#include "blockyard/store/whole_file.h"

namespace blockyard::job {

namespace fs = std::filesystem;

std::vector<std::string> files_read(const input::Spec& spec, const input::Places& places) {
  std::vector<std::string> files;
  for (const std::string& program : spec.programs) {
    const std::vector<std::string> parts = program_files(program, places);
    files.insert(files.end(), parts.begin(), parts.end());
  }
  if (spec.molecule) files.push_back(spec.molecule->file);
  files.insert(files.end(), {spec.basis.file, spec.basis.auxiliary_file});
  for (const auto& [atom, basis] : spec.basis.atoms) files.push_back(basis.set.file);
  files.insert(files.end(), spec.run.supers.begin(), spec.run.supers.end());
  return files;
}

void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs,
                   const input::RunSpec& run) {
  for (const std::string& file : outputs)
    if (!file.empty() && file != "-") store::check_writable(file);
  std::vector<std::string> files = outputs;
  files.push_back(run.persistent);
  if (input::guess_basis(run.guess).empty()) store::check_apart({run.guess}, files);
  files.push_back(run.save);
  std::vector<std::string> all_inputs = inputs;
  all_inputs.insert(all_inputs.end(), run.supers.begin(), run.supers.end());
  store::check_apart(all_inputs, files);
}

bool KeptFiles::is_new(const std::string& name) {
  std::error_code error;
  const fs::path whole = fs::absolute(name);
  const fs::path known = fs::weakly_canonical(whole, error);
  return taken_.insert(error ? whole.lexically_normal() : known).second;
}

void KeptFiles::keep_apart(input::RunSpec& run) {
  if (!run.save.empty() && !is_new(run.save))
    throw base::Error(
        base::Errc::bad_input,
        fmt::format("{} is that of an earlier job, whose results it keeps", run.save));
  const std::string folder = run.checkpoint_folder;
  for (int k = 2; !run.checkpoint_folder.empty() && !is_new(run.checkpoint_folder); ++k)
    run.checkpoint_folder = fmt::format("{}-{}", folder, k);
}

}  // namespace blockyard::job
