// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "apps/blockyard/commands.h"
#include "blockyard/base/error.h"

namespace blockyard::app {

namespace fs = std::filesystem;

namespace {

/// Next to the program where it was built, in the library folder where it was installed.
std::string plugin_folder(const fs::path& program) {
  const fs::path folder = program.parent_path();
  std::error_code ignored;
  const fs::path built = folder / "plugins";
  return (fs::is_directory(built, ignored) ? built : folder / BLOCKYARD_PLUGIN_FOLDER)
      .lexically_normal()
      .string();
}

}  // namespace

input::Places find_places(const std::string& library) {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  if (!library.empty()) {
    if (!fs::is_directory(fs::path(library) / "sialib"))
      throw base::Error(base::Errc::bad_input,
                        fmt::format("--library {}: it has no folder sialib", library));
    return {library + "/sialib", library + "/basis", {}, {}, plugin_folder(program)};
  }
  const fs::path installed = (program.parent_path() / BLOCKYARD_DATA_FOLDER).lexically_normal();
  // Without /proc the program does not know where it is.
  if (!program.empty() && fs::is_directory(installed / "sialib", ignored))
    return {(installed / "sialib").string(),
            (installed / "basis").string(),
            {},
            {},
            plugin_folder(program)};
  const std::string source = BLOCKYARD_SOURCE_FOLDER;
  return {source + "/sialib", source + "/share/basis", {}, {}, plugin_folder(program)};
}

}  // namespace blockyard::app
