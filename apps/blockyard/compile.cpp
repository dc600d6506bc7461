// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/compile.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/output.h"
#include "apps/blockyard/setting_options.h"
#include "blockyard/job/program_file.h"
#include "blockyard/program/file.h"
#include "blockyard/store/apart.h"
#include "blockyard/store/whole_file.h"

namespace blockyard::app {

namespace {

struct CompileOptions {
  std::string file;
  std::string output;
  std::string stage;
  std::vector<std::string> imports;
};

int print_stage(const CompileOptions& options, sial::SourceLoader& loader) {
  const std::map<std::string, sial::Stage> stages = {{"tokens", sial::Stage::tokens},
                                                     {"ast", sial::Stage::ast},
                                                     {"checked", sial::Stage::checked},
                                                     {"program", sial::Stage::program}};
  const sial::Printed printed = sial::print_stage(options.file, loader, stages.at(options.stage));
  print_error("{}", sial::render_text(printed.found));
  print_out("{}", printed.text);
  return sial::has_error(printed.found) ? exit_error : 0;
}

int compile(const CompileOptions& options, const std::string& library) {
  input::Places places = find_places(library);
  places.imports = options.imports;
  sial::FileLoader loader = job::source_loader(places);
  if (!options.stage.empty()) return print_stage(options, loader);
  const sial::Compilation compiled = sial::compile_file(options.file, loader);
  print_error("{}", sial::render_text(compiled.found));
  if (!compiled.program) return exit_error;
  std::filesystem::path output = options.output;
  if (output.empty())
    output =
        std::filesystem::path(options.file).stem().string() + std::string(job::compiled_ending);
  std::vector<std::string> inputs = compiled.program->files;
  inputs.push_back(options.file);
  store::check_apart(inputs, {output.string()});
  store::write_whole_file(output, program::write(*compiled.program));
  return 0;
}

}  // namespace

void add_compile(CLI::App& app, Commands& commands, const std::string& library) {
  CLI::App* command = app.add_subcommand("compile", "Compile a SIAL program to a file");
  const auto options = std::make_shared<CompileOptions>();  // shared with the function below
  command->add_option("file", options->file, "SIAL program")->required();
  command
      ->add_option("-o,--output", options->output,
                   "compiled program (default: the source's name with .byx)")
      ->type_name("FILE");
  command->add_option("--print", options->stage, "print a stage of the compilation instead")
      ->check(CLI::IsMember({"tokens", "ast", "checked", "program"}));
  add_import_option(*command, options->imports);
  commands[command] = [options, &library] { return compile(*options, library); };
}

}  // namespace blockyard::app
