// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/blockyard/commands.h"
#include "blockyard/job/report.h"
#include "blockyard/qc/basis_set.h"
#include "blockyard/qc/element.h"

namespace blockyard::app {

namespace {

int list_basis_sets(const std::string& library) {
  const job::Places places = find_places(library);
  for (const std::string_view name : qc::known_basis_names()) {
    const qc::BasisSet set = qc::load_basis(name, places.basis_sets);
    std::vector<std::string_view> symbols;
    for (const auto& [number, shells] : set.elements) symbols.push_back(qc::element_symbol(number));
    fmt::print("{:<12} {}\n", name, fmt::join(symbols, " "));
  }
  return 0;
}

}  // namespace

void add_basis(CLI::App& app, Commands& commands, const std::string& library) {
  CLI::App* command = app.add_subcommand("basis", "List the basis sets and their elements");
  commands[command] = [&library] { return list_basis_sets(library); };
}

void add_version(CLI::App& app, Commands& commands) {
  CLI::App* command = app.add_subcommand("version", "Print the version");
  commands[command] = [] {
    fmt::print("blockyard {}\n", job::version());
    return 0;
  };
}

}  // namespace blockyard::app
