// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/output.h"
#include "apps/blockyard/setting_options.h"
#include "blockyard/job/program_file.h"
#include "blockyard/sial/compile.h"

namespace blockyard::app {

namespace {

struct CheckOptions {
  std::vector<std::string> files;
  std::vector<std::string> imports;
  bool json = false;
};

/// The findings of all files; what two files find in the same import is told once.
std::vector<sial::Diagnostic> check_files(const CheckOptions& options,
                                          const input::Places& places) {
  std::vector<sial::Diagnostic> all;
  for (const std::string& file : options.files) {
    sial::FileLoader loader = job::source_loader(places);
    for (sial::Diagnostic& found : sial::check_file(file, loader))
      if (std::find(all.begin(), all.end(), found) == all.end()) all.push_back(std::move(found));
  }
  return all;
}

int check(const CheckOptions& options, const std::string& library) {
  input::Places places = find_places(library);
  places.imports = options.imports;
  const std::vector<sial::Diagnostic> found = check_files(options, places);
  if (options.json)
    print_out("{}\n", sial::render_json(found));
  else
    print_out("{}", sial::render_text(found));
  return sial::has_error(found) ? exit_error : 0;
}

}  // namespace

void add_check(CLI::App& app, Commands& commands, const std::string& library) {
  CLI::App* command =
      app.add_subcommand("check", "Check SIAL programs for errors without running them");
  const auto options = std::make_shared<CheckOptions>();  // shared with the function below
  command->add_option("files", options->files, "SIAL programs")->required();
  add_import_option(*command, options->imports);
  command->add_flag("--json", options->json, "print one JSON object");
  commands[command] = [options, &library] { return check(*options, library); };
}

}  // namespace blockyard::app
