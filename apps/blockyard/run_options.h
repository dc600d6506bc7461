// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/input/run_options.h"

namespace blockyard::app {

/// The options of a run (blockyard/input/run_options.h) as a command line gives them.
struct RunOptionValues {
  std::map<std::string_view, std::string> texts;
  std::map<std::string_view, std::vector<std::string>> lists;
  std::map<std::string_view, bool> flags;
  // Ablations (docs/devices.md): what each part of the way of a block to a device brings.
  bool without_intents = false;
  bool without_page_locks = false;
  bool without_pools = false;
  std::optional<int> streams;
};

/// All options, or those that `blockyard resume` has. `values` must outlive the command.
void add_run_options(CLI::App& command, RunOptionValues& values, bool only_of_resume = false);

/// Puts what the command line says in, which wins. Throws Error{bad_input}.
void merge(const RunOptionValues& values, input::RunSpec& run);
/// The same for its devices alone.
void merge(const RunOptionValues& values, input::DeviceSpec& device);

}  // namespace blockyard::app
