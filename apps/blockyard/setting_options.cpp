// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/setting_options.h"

#include "apps/blockyard/commands.h"
#include "blockyard/base/error.h"

namespace blockyard::app {

void add_setting_options(CLI::App& command, SettingOptions& options) {
  command.add_option("--method", options.method, "scf, mp2, ccsd, \"ccsd(t)\", ...");
  command.add_option("--basis", options.basis, "basis set: cc-pvdz (blockyard basis lists them)");
  command.add_option("--charge", options.charge, "charge of the molecule");
  command.add_option("--multiplicity", options.multiplicity, "2 S + 1 of the molecule");
}

void add_import_option(CLI::App& command, std::vector<std::string>& folders) {
  command.add_option("-I,--import", folders, "also look for imports in this folder")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory.description(""))
      ->allow_extra_args(false);
}

input::Settings settings_of(const SettingOptions& options, const std::vector<std::string>& set,
                            const JobSource& source) try {
  input::Settings settings;
  if (!options.method.empty()) settings.push_back({"method.name", options.method});
  if (!options.basis.empty()) settings.push_back({"basis.name", options.basis});
  if (options.charge) settings.push_back({"molecule.charge", std::to_string(*options.charge)});
  if (options.multiplicity)
    settings.push_back({"molecule.multiplicity", std::to_string(*options.multiplicity)});
  for (const std::string& text : set)
    if (input::is_setting(text)) settings.push_back(input::parse_setting(text));
  settings.insert(settings.end(), source.settings.begin(), source.settings.end());
  return settings;
} catch (const base::Error& error) {
  throw UsageError(error.what());
}

}  // namespace blockyard::app
