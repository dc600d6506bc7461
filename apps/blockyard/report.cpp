// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/output.h"
#include "blockyard/base/read_file.h"
#include "blockyard/report/compare.h"
#include "blockyard/report/page.h"
#include "blockyard/store/apart.h"

namespace blockyard::app {

namespace {

constexpr int exit_other_results = 3;

struct CompareOptions {
  std::string before;
  std::string after;
  bool is_json = false;
  bool all = false;
};

int write_page(const std::string& from, const std::string& to) {
  const std::string path =
      to.empty() ? std::filesystem::path(from).replace_extension(".html").string() : to;
  check_writable(path);
  store::check_apart({from}, {path});
  Output(stdout).write_file(path, report::page_of(base::read_file(from), from));
  if (path != "-") print_error("wrote {}\n", path);
  return 0;
}

int compare(const CompareOptions& options) {
  constexpr std::size_t shown = 25;
  const report::Comparison found = report::compare(base::read_file(options.before), options.before,
                                                   base::read_file(options.after), options.after);
  Output(stdout).print(options.is_json ? report::json_of(found)
                                       : report::print(found, options.all ? SIZE_MAX : shown));
  return found.has_other_results ? exit_other_results : 0;
}

}  // namespace

void add_report(CLI::App& app, Commands& commands) {
  CLI::App* command = app.add_subcommand("report", "Render a run's measurements as an HTML page");
  const auto from = std::make_shared<std::string>();  // shared with the function below
  const auto to = std::make_shared<std::string>();    // likewise
  command
      ->add_option(
          "run", *from,
          "file written by 'blockyard run --report FILE' or 'blockyard offload run --report "
          "FILE'")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("-o,--output", *to,
                   "HTML file to write (default: the run's name with .html; '-': standard output)")
      ->type_name("FILE");
  commands[command] = [from, to] { return write_page(*from, *to); };
}

void add_compare(CLI::App& app, Commands& commands) {
  CLI::App* command =
      app.add_subcommand("compare", "Show how two runs differ, largest differences first");
  const auto options = std::make_shared<CompareOptions>();  // shared with the function below
  command->add_option("before", options->before, "file written by 'blockyard run --report FILE'")
      ->required();
  command->add_option("after", options->after, "the same of the other run")->required();
  command->add_flag("--json", options->is_json, "print one JSON object");
  command->add_flag("--all", options->all, "print every difference");
  commands[command] = [options] { return compare(*options); };
}

}  // namespace blockyard::app
