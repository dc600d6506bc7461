// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/output.h"
#include "blockyard/job/job_text.h"
#include "blockyard/job/zmat/zmat.h"

namespace blockyard::app {

namespace {

struct ConvertOptions {
  std::string from;
  std::string to;
};

int convert(const ConvertOptions& options) {
  const job::ZmatJob job = job::read_zmat_file(options.from);
  for (const std::string& warning : job.warnings) fmt::print(stderr, "warning: {}\n", warning);
  Output(stdout).write_file(options.to, job::job_text(job.spec));
  return 0;
}

}  // namespace

void add_convert(CLI::App& app, Commands& commands) {
  CLI::App* command = app.add_subcommand("convert", "Make a job file of a ZMAT input");
  const auto options = std::make_shared<ConvertOptions>();  // shared with the function below
  command->add_option("from", options->from, "ZMAT input")->required();
  command->add_option("to", options->to, "job file to write ('-': standard output)")->required();
  commands[command] = [options] { return convert(*options); };
}

}  // namespace blockyard::app
