// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "apps/blockyard/commands.h"
#include "blockyard/base/error.h"

namespace blockyard::app {

namespace fs = std::filesystem;

job::Places find_places(const std::string& library) {
  if (!library.empty()) {
    if (!fs::is_directory(fs::path(library) / "sialib"))
      throw base::Error(base::Errc::bad_input,
                        fmt::format("--library {}: there is no folder sialib in it", library));
    return {library + "/sialib", library + "/basis", {}};
  }
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path installed = program.parent_path().parent_path() / "share" / "blockyard";
  if (fs::is_directory(installed / "sialib", ignored))
    return {(installed / "sialib").string(), (installed / "basis").string(), {}};
  const std::string source = BLOCKYARD_SOURCE_FOLDER;
  return {source + "/sialib", source + "/blockyard/qc/data", {}};
}

}  // namespace blockyard::app
