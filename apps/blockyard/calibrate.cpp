// SPDX-License-Identifier: Apache-2.0
#include "blockyard/plan/calibrate.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/machine_file.h"
#include "apps/blockyard/output.h"
#include "blockyard/base/error.h"

namespace blockyard::app {

namespace {

void draw(std::string_view what, double share) {
  if (isatty(STDERR_FILENO) != 1) return;
  constexpr int width = 24;
  const auto filled = static_cast<int>(share * width);
  print_error("\r\033[K[{:#<{}}{:.<{}}] {}", "", filled, "", width - filled, what);
  std::fflush(stderr);
}

int run(const std::string& given, const std::string& scratch, const std::string& library) {
  const std::string path = given.empty() ? machine_file() : given;
  if (path.empty())
    throw base::Error(base::Errc::bad_input,
                      "no home folder to keep the rates in: name a file with --output");
  if (path != "-") {
    const auto folder = std::filesystem::path(path).parent_path();
    std::error_code ignored;  // the check below says what is wrong
    if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
    check_writable(path);
  }
  const plan::Machine machine = plan::calibrate(scratch, find_places(library), draw);
  if (isatty(STDERR_FILENO) == 1) print_error("\r\033[K");
  Output output(stdout);
  if (path == "-") {
    output.print(plan::print_machine(machine));
    return 0;
  }
  output.write_file(path, plan::print_machine(machine));
  output.print(
      fmt::format("{}, {} cores: {:.1f} Gflop/s a core in large contractions\nwritten to {}\n",
                  machine.name, machine.cores, machine.contraction_flops.back() * 1e-9, path));
  return 0;
}

}  // namespace

void add_calibrate(CLI::App& app, Commands& commands, const std::string& library) {
  CLI::App* command = app.add_subcommand(
      "calibrate", "Measure the speed of this machine for blockyard plan (takes seconds)");
  const auto path = std::make_shared<std::string>();     // shared with the function below
  const auto scratch = std::make_shared<std::string>();  // shared with the function below
  command
      ->add_option("-o,--output", *path,
                   "machine file to write ('-': standard output; default: the user's own)")
      ->type_name("FILE");
  command->add_option("--scratch", *scratch, "folder whose disk is measured")->type_name("DIR");
  commands[command] = [path, scratch, &library] { return run(*path, *scratch, library); };
}

}  // namespace blockyard::app
