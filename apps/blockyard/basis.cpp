// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/blockyard/commands.h"
#include "apps/blockyard/output.h"
#include "blockyard/job/version.h"
#include "blockyard/qc/basis_set.h"
#include "blockyard/qc/element.h"

namespace blockyard::app {

namespace {

void print_set(const qc::BasisSet& set) {
  std::vector<std::string> symbols;
  for (const auto& [number, shells] : set.elements)
    symbols.push_back(std::string(qc::element_symbol(number)) +
                      (set.cores.contains(number) ? "*" : ""));
  print_out("{:<18} {}\n", set.name, fmt::join(symbols, " "));
}

int list_basis_sets(const std::string& library) {
  const input::Places places = find_places(library);
  for (const std::string_view name : qc::known_basis_names())
    print_set(qc::load_basis(name, places.basis_sets));
  print_out("* with an effective core potential for the inner electrons\n");
  print_out("\nFor integrals = \"df\":\n");
  for (const std::string_view name : qc::known_auxiliary_names())
    print_set(qc::load_auxiliary(name, places.basis_sets));
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
    print_out("blockyard {}\n", job::version());
    return 0;
  };
}

}  // namespace blockyard::app
