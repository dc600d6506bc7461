// SPDX-License-Identifier: Apache-2.0
#include "blockyard/method/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/help.h"
#include "apps/blockyard/output.h"
#include "blockyard/base/table.h"
#include "blockyard/input/method_options.h"

namespace blockyard::app {

namespace {

/// Where the texts of methods and options begin.
std::size_t name_columns() { return std::min<std::size_t>(28, terminal_width() / 2); }

struct Row {
  std::string key;
  std::string meaning;
  std::string usual;
};

/// Every key of [method] but `name`.
std::vector<Row> option_rows() {
  std::vector<Row> rows = {
      {"frozen_core",
       "lowest orbitals that are not correlated: a number, or true for the default core", "0"}};
  for (const input::MethodOption& option : input::method_options())
    rows.push_back({std::string(option.key), std::string(option.help), usual_value(option)});
  return rows;
}

void print_row(std::string_view name, std::string_view text) {
  const std::size_t column = name_columns();
  std::string line = fmt::format("  {}", name);
  if (line.size() + 1 > column) line += "\n" + std::string(column, ' ');
  const std::string wrapped =
      base::wrap(std::string(column, ' ') + std::string(text), terminal_width(), column);
  print_out("{:<{}}{}\n", line, column, wrapped.substr(column));
}

void print_head(std::string_view text) { print_out("{}\n", base::wrap(text, terminal_width(), 0)); }

int list_methods() {
  print_head("Methods: --method NAME, or name in [method] of a job file");
  for (const method::Method& method : method::methods()) print_row(method.name, method.gives);
  print_out("\n");
  print_head("Options: --set method.KEY=VALUE, [method] of a job file, or a keyword in Python");
  for (const Row& row : option_rows())
    print_row(row.key, fmt::format("{} (default: {})", row.meaning, row.usual));
  return 0;
}

int print_table() {
  print_out("| key | meaning | default |\n|---|---|---|\n");
  for (Row& row : option_rows()) {
    for (std::size_t at = row.meaning.find('|'); at != row.meaning.npos;
         at = row.meaning.find('|', at + 2))
      row.meaning.insert(at, 1, '\\');
    print_out("| `{}` | {} | {} |\n", row.key, row.meaning, row.usual);
  }
  return 0;
}

}  // namespace

void add_methods(CLI::App& app, Commands& commands) {
  CLI::App* command = app.add_subcommand("methods", "List the methods and their options");
  const auto is_table = std::make_shared<bool>(false);  // shared with the function below
  command->add_flag("--markdown", *is_table, "the options as a table (docs/chemistry.md)");
  commands[command] = [is_table] { return *is_table ? print_table() : list_methods(); };
}

}  // namespace blockyard::app
