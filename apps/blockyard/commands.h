// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include "blockyard/base/error.h"
#include "blockyard/input/places.h"

/// The subcommands, one file each. A function adds a subcommand to the command line, and what it
/// does to `commands`: a function that returns the exit code.
namespace blockyard::app {

inline constexpr int exit_error = 1;
inline constexpr int exit_usage = 2;

using Commands = std::map<const CLI::App*, std::function<int()>>;

/// An invalid option on the command line.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What `read` makes of options; what is wrong with them is a UsageError.
template <class Read>
auto read_usage(const Read& read) {
  try {
    return read();
  } catch (const base::Error& error) {
    throw UsageError(error.what());
  }
}

void add_run(CLI::App& app, Commands& commands, const std::string& library);
void add_resume(CLI::App& app, Commands& commands);
void add_plan(CLI::App& app, Commands& commands, const std::string& library);
void add_offload(CLI::App& app, Commands& commands);
void add_accumulate(CLI::App& app, Commands& commands);
void add_calibrate(CLI::App& app, Commands& commands, const std::string& library);
void add_check(CLI::App& app, Commands& commands, const std::string& library);
void add_compile(CLI::App& app, Commands& commands, const std::string& library);
void add_fmt(CLI::App& app, Commands& commands);
void add_convert(CLI::App& app, Commands& commands, const std::string& library);
void add_dump(CLI::App& app, Commands& commands);
void add_basis(CLI::App& app, Commands& commands, const std::string& library);
void add_methods(CLI::App& app, Commands& commands);
void add_lsp(CLI::App& app, Commands& commands, const std::string& library);
void add_report(CLI::App& app, Commands& commands);
void add_compare(CLI::App& app, Commands& commands);
void add_top(CLI::App& app, Commands& commands);
void add_version(CLI::App& app, Commands& commands);

/// Our SIAL programs and basis sets: in folder `library` if it is not empty, else in
/// ../share/blockyard next to the program's folder, else in the source folder.
/// Throws Error{bad_input} if `library` has none.
[[nodiscard]] input::Places find_places(const std::string& library);

}  // namespace blockyard::app
