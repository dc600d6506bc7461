// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <iostream>
#include <memory>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/setting_options.h"
#include "blockyard/job/job.h"
#include "blockyard/job/program_file.h"
#include "blockyard/lsp/server.h"

namespace blockyard::app {

namespace {

int serve(const std::vector<std::string>& imports, const std::string& library) {
  input::Places places = find_places(library);
  // Files have addresses in an editor.
  for (const std::string& folder : imports)
    places.imports.push_back(std::filesystem::absolute(folder).lexically_normal().string());
  lsp::Server server([&] { return std::make_unique<sial::FileLoader>(job::source_loader(places)); },
                     job::super_instruction_names(),
                     [](const lsp::Json& message) { lsp::write_message(std::cout, message); });
  std::ios::sync_with_stdio(false);  // else the stream cannot say whether input waits
  server.serve(std::cin);
  return server.exit_code();
}

}  // namespace

void add_lsp(CLI::App& app, Commands& commands, const std::string& library) {
  CLI::App* command =
      app.add_subcommand("lsp", "Run the language server (LSP) on standard input and output");
  const auto imports = std::make_shared<std::vector<std::string>>();  // shared with the function
  add_import_option(*command, *imports);
  commands[command] = [imports, &library] { return serve(*imports, library); };
}

}  // namespace blockyard::app
