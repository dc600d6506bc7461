// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace blockyard::app {

/// Columns of the terminal on standard output, 60 to 120; 80 where it is none.
[[nodiscard]] std::size_t terminal_width();

/// The words of `text` in lines of at most `width` columns, the second and later ones after
/// `indent` spaces. A word that is longer than a line keeps a line of its own.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

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
