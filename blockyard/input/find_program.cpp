// SPDX-License-Identifier: Apache-2.0
#include "blockyard/input/find_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"

namespace blockyard::input {

namespace {

namespace fs = std::filesystem;
using base::Errc;
using base::Error;

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

/// The folders in these, in the order of their names.
std::vector<fs::path> folders_in(const std::vector<fs::path>& folders) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::path& folder : folders)
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
      if (entry->is_directory(error) && !entry->is_symlink(error)) found.push_back(entry->path());
  std::ranges::sort(found);
  return found;
}

/// The program in a folder, or the least deep one in the folders in it; empty if there is none.
std::string find_below(const fs::path& folder, const std::string& name) {
  for (std::vector<fs::path> level = {folder}; !level.empty(); level = folders_in(level)) {
    std::vector<std::string> found;
    std::error_code error;
    for (const fs::path& one : level)
      if (std::string file = find_program(one.string(), name); fs::exists(file, error))
        found.push_back(std::move(file));
    if (found.size() > 1)
      throw Error(
          Errc::bad_input,
          fmt::format("program \"{}\" is both {} and {}: --programs must name the folder of "
                      "one of them, before others",
                      name, found[0], found[1]));
    if (!found.empty()) return found.front();
  }
  return "";
}

}  // namespace

std::string find_program_below(const std::vector<std::string>& folders, const std::string& name) {
  for (const std::string& folder : folders)
    if (std::string file = find_below(folder, name); !file.empty()) return file;
  throw Error(
      Errc::bad_input,
      fmt::format("program \"{}\" has no source (.sialx, .sial) in {}, nor in folders in it", name,
                  fmt::join(folders, ", ")));
}

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

}  // namespace blockyard::input
