// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <exception>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/failure.h"
#include "blockyard/job/report.h"

using namespace blockyard;

int main(int argc, char** argv) {
  CLI::App app("Blockyard: computations on very large multidimensional arrays, in blocks");
  app.name("blockyard");
  app.set_version_flag("--version", std::string("blockyard ") + std::string(job::version()));
  app.require_subcommand(1);
  std::string library;
  app.add_option("--library", library, "folder with the folders sialib and basis")
      ->type_name("DIR");
  app.fallthrough();

  app::Commands commands;
  app::add_run(app, commands, library);
  app::add_resume(app, commands);
  app::add_plan(app, commands, library);
  app::add_calibrate(app, commands, library);
  app::add_report(app, commands);
  app::add_compare(app, commands);
  app::add_top(app, commands);
  app::add_check(app, commands, library);
  app::add_compile(app, commands, library);
  app::add_fmt(app, commands);
  app::add_convert(app, commands, library);
  app::add_dump(app, commands);
  app::add_basis(app, commands, library);
  app::add_lsp(app, commands, library);
  app::add_version(app, commands);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : app::exit_usage;
  }
  try {
    return commands.at(app.get_subcommands().front())();
  } catch (const std::exception&) {
    return app::end_by_exception();
  }
}
