// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <span>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/failure.h"
#include "apps/blockyard/output.h"
#include "blockyard/base/error.h"
#include "blockyard/base/read_file.h"
#include "blockyard/sial/format.h"
#include "blockyard/store/whole_file.h"

namespace blockyard::app {

namespace {

struct FormatOptions {
  std::vector<std::string> files;
  bool check = false;
  bool to_stdout = false;
};

/// The exit code for one file.
int format_file(const FormatOptions& options, const std::string& file) {
  const std::string source = base::read_file(file);
  const sial::Formatted formatted = sial::format(source, file);
  print_error("{}", sial::render_text(formatted.found));
  if (sial::has_error(formatted.found)) return exit_error;
  if (options.to_stdout) {
    print_out("{}", formatted.text);
    return options.check && formatted.text != source ? exit_error : 0;
  }
  if (formatted.text == source) return 0;
  if (options.check) {
    print_out("{}: not formatted (blockyard fmt)\n", file);
    return exit_error;
  }
  store::write_whole_file(file, std::as_bytes(std::span(formatted.text)));
  return 0;
}

}  // namespace

void add_fmt(CLI::App& app, Commands& commands) {
  CLI::App* command = app.add_subcommand("fmt", "Format SIAL sources");
  const auto options = std::make_shared<FormatOptions>();  // shared with the function below
  command->add_option("files", options->files, "SIAL sources, formatted in place")->required();
  command->add_flag("--check", options->check,
                    "change nothing; exit with 1 if a file is not formatted");
  command->add_flag("--stdout", options->to_stdout, "print the formatted text instead");
  commands[command] = [options] {
    int code = 0;
    for (const std::string& file : options->files) {
      try {
        code |= format_file(*options, file);
      } catch (const base::Error&) {
        code |= end_by_exception();
      }
    }
    return code;
  };
}

}  // namespace blockyard::app
