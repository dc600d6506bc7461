// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <string>

namespace blockyard::app {

/// Columns to print in, 40 to 120: those that COLUMNS in the environment says, or else of the
/// terminal on standard output; 80 where there is neither.
[[nodiscard]] std::size_t terminal_width();

/// Help that fits into `width` columns.
[[nodiscard]] std::shared_ptr<CLI::Formatter> make_help_formatter(std::size_t width);

/// What an option accepts, from its type and its check.
struct Wanted {
  std::string placeholder;  // as in help: "N", "auto|loopback|mpi"
  std::string sentence;     // as in an error: "a whole number from 1 to 4096"; "" if any text is
  std::vector<std::string> words;  // all that are accepted; empty: not a choice among words
};
[[nodiscard]] Wanted wanted_by(const CLI::Option& option);

}  // namespace blockyard::app
