// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/blockyard/job_files.h"

namespace blockyard::app {

/// The keys of a job file that have options of their own.
struct SettingOptions {
  std::string method;
  std::string basis;
  std::optional<int> charge;
  std::optional<int> multiplicity;
};

void add_setting_options(CLI::App& command, SettingOptions& options);

/// -I: folders that exist.
void add_import_option(CLI::App& command, std::vector<std::string>& folders);

/// These, then those among the values of --set, then those of a scan. Throws UsageError.
[[nodiscard]] input::Settings settings_of(const SettingOptions& options,
                                          const std::vector<std::string>& set,
                                          const JobSource& source = {});

}  // namespace blockyard::app
