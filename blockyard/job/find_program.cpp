// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/find_program.h"

#include <array>
#include <filesystem>
#include <system_error>

#include "blockyard/base/text.h"

namespace blockyard::job {

namespace {

namespace fs = std::filesystem;

/// The file of that name in any letter case, or an empty path.
fs::path find_file(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return path;
  const std::string wanted = base::lower(path.filename().string());
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (base::lower(entry->path().filename().string()) == wanted) return entry->path();
  return {};
}

}  // namespace

std::string find_program(const std::string& folder, const std::string& name) {
  const fs::path named = fs::path(folder) / name;
  const bool is_foreign = base::lower(named.extension().string()) == ".siox";
  if (!is_foreign)
    if (const fs::path found = find_file(named); !found.empty()) return found.string();
  constexpr std::array endings = {".sialx", ".sial", ".byx"};
  for (const char* ending : endings)
    if (const fs::path found = find_file(fs::path(named).replace_extension(ending)); !found.empty())
      return found.string();
  return is_foreign ? fs::path(named).replace_extension(".sialx").string() : named.string();
}

}  // namespace blockyard::job
