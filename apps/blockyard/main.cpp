// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/failure.h"
#include "apps/blockyard/help.h"
#include "apps/blockyard/output.h"
#include "apps/blockyard/signals.h"
#include "apps/blockyard/usage.h"
#include "blockyard/job/version.h"

using namespace blockyard;

namespace {

/// Help and version on standard output, wrong usage on standard error.
int end_parsing(const CLI::App& app, const CLI::ParseError& error) try {
  if (error.get_exit_code() != 0) {
    app::print_text_error(app::describe_refusal(app, error));
    return app::exit_usage;
  }
  std::ostringstream out;
  app.exit(error, out, out);
  std::string text = out.str();
  text.resize(text.find_last_not_of('\n') + 1);
  app::print_text_out(text + "\n");
  return 0;
} catch (const std::exception&) {
  return app::end_by_exception();
}

/// The exit code if the command line is not one that runs a command.
std::optional<int> parse(CLI::App& app, const std::vector<std::string>& arguments) {
  try {
    if (const std::string error = app::find_unknown_name(app, arguments); !error.empty()) {
      app::print_text_error(error);
      return app::exit_usage;
    }
    if (const std::string error = app::find_empty_value(app, arguments); !error.empty()) {
      app::print_text_error(error);
      return app::exit_usage;
    }
    std::vector<std::string> spread = app::spread_pairs(app, arguments);
    std::ranges::reverse(spread);  // the order that CLI11 wants
    if (spread.empty()) throw CLI::CallForHelp();
    app.parse(std::move(spread));
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    return end_parsing(app, error);
  }
}

int run_command(const std::vector<std::string>& arguments) {
  CLI::App app("Blockyard: computations on very large multidimensional arrays, in blocks");
  app.name("blockyard");
  app.formatter(app::make_help_formatter(app::terminal_width()));
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", std::string("blockyard ") + std::string(job::version()),
                       "print the version");
  app.require_subcommand(1);
  std::string library;
  app.add_option("--library", library, "folder with the folders sialib and basis")
      ->type_name("DIR");
  app.fallthrough();

  app::Commands commands;
  app::add_run(app, commands, library);
  app::add_resume(app, commands);
  app::add_plan(app, commands, library);
  app::add_offload(app, commands);
  app::add_accumulate(app, commands);
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
  app::add_methods(app, commands);
  app::add_lsp(app, commands, library);
  app::add_version(app, commands);
  for (CLI::App* command : app.get_subcommands({})) {
    command->group("Commands");
    for (CLI::App* inner : command->get_subcommands({})) inner->group("Commands");
  }
  app.footer("'blockyard COMMAND --help' lists the options of a command.");
  if (const auto code = parse(app, arguments)) return *code;
  try {
    return commands.at(app.get_subcommands().front())();
  } catch (const std::exception&) {
    return app::end_by_exception();
  }
}

/// Everything of ours has been destroyed and flushed. Libraries need not survive their own ends:
/// where the address space or the data are limited, OpenBLAS may lack threads that it could not
/// start, and waits for them for ever; HDF5 complains of files that a full disk kept open.
int leave(int code) {
  const auto is_limited = [](auto resource) {
    rlimit limit{};
    return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  };
  if (code == 0 && !is_limited(RLIMIT_AS) && !is_limited(RLIMIT_DATA)) return code;
  std::fflush(nullptr);
  std::_Exit(code);
}

/// Threads get as much stack as the limit of the process says (`ulimit -s`), and end with SIGSEGV
/// where a shell has set a small one: gives them what is usual.
void give_threads_a_stack() {
  constexpr std::size_t usual_bytes = 8 << 20;
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) != 0) return;
  std::size_t bytes = 0;
  if (pthread_attr_getstacksize(&attributes, &bytes) == 0 && bytes < usual_bytes &&
      pthread_attr_setstacksize(&attributes, usual_bytes) == 0)
    pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

}  // namespace

int main(int argc, char** argv) {
  app::open_missing_streams();
  app::survive_file_limit();
  give_threads_a_stack();
  return leave(run_command({argv + std::min(argc, 1), argv + argc}));
}
