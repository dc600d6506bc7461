// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

/// Errors of a command line in the form of the compiler's errors: what, why, what to do.
namespace blockyard::app {

/// The arguments with "--set a=1 b=2" written as "--set a=1 --set b=2", for each option that takes
/// pairs ("NAME=..."). A file that exists stays an argument of its own.
[[nodiscard]] std::vector<std::string> spread_pairs(const CLI::App& app,
                                                    const std::vector<std::string>& arguments);

/// The first command or option that does not exist, as an error with the nearest that does; ""
/// if all exist.
[[nodiscard]] std::string find_unknown_name(const CLI::App& app,
                                            const std::vector<std::string>& arguments);

/// The error of the first option with an empty value, as of a variable of the shell that is not
/// set, or of the last one if it lacks its value; "" if there is none.
[[nodiscard]] std::string find_empty_value(const CLI::App& app,
                                           const std::vector<std::string>& arguments);

/// The error of a command line that CLI11 refused.
[[nodiscard]] std::string describe_refusal(const CLI::App& app, const CLI::ParseError& error);

}  // namespace blockyard::app
