// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/failure.h"
#include "apps/blockyard/output.h"
#include "blockyard/job/report.h"

using namespace blockyard;

namespace {

/// Help and version on standard output, wrong usage on standard error.
int end_parsing(const CLI::App& app, const CLI::ParseError& error) try {
  std::ostringstream out;
  std::ostringstream err;
  const bool is_good = app.exit(error, out, err) == 0;
  app::print_text_error(err.str());
  app::print_text_out(out.str());
  return is_good ? 0 : app::exit_usage;
} catch (const std::exception&) {
  return app::end_by_exception();
}

int run_command(int argc, char** argv) {
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
    return end_parsing(app, error);
  }
  try {
    return commands.at(app.get_subcommands().front())();
  } catch (const std::exception&) {
    return app::end_by_exception();
  }
}

/// Where the address space is limited, OpenBLAS may lack threads that it could not start, and at an
/// ordinary end it waits for them for ever. Everything of ours has been destroyed and flushed.
int leave(int code) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return code;
  std::fflush(nullptr);
  std::_Exit(code);
}

}  // namespace

int main(int argc, char** argv) {
  app::open_missing_streams();
  return leave(run_command(argc, argv));
}
