// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/machine_file.h"

#include <cstdlib>
#include <filesystem>

#include "blockyard/base/machine_limits.h"

namespace blockyard::app {

std::string machine_file() {
  namespace fs = std::filesystem;
  fs::path folder;
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config != '\0')
    folder = config;
  else if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    folder = fs::path(home) / ".config";
  return folder.empty() ? "" : (folder / "blockyard" / "machine.toml").string();
}

plan::Machine find_machine(const std::string& given) {
  if (!given.empty()) return plan::read_machine(given);
  const std::string path = machine_file();
  std::error_code ignored;  // a folder that may not be looked into has no file for us
  if (!path.empty() && std::filesystem::exists(path, ignored)) return plan::read_machine(path);
  plan::Machine machine = plan::assumed_machine();
  machine.cores = base::usable_cores();
  return machine;
}

}  // namespace blockyard::app
