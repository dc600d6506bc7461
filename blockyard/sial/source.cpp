// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/source.h"

#include <filesystem>
#include <system_error>

#include "blockyard/base/read_file.h"

namespace blockyard::sial {
namespace {

namespace fs = std::filesystem;

/// Nothing if there is none, or, with the reason, if it cannot be read.
std::optional<std::string> read_file(const fs::path& path, std::string& reason) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (status.type() == fs::file_type::not_found) return std::nullopt;
  if (failed) {
    reason = failed.message();
    return std::nullopt;
  }
  if (status.type() != fs::file_type::regular) {
    reason = status.type() == fs::file_type::directory ? "it is a folder" : "it is not a file";
    return std::nullopt;
  }
  return base::try_read_file(path.string(), reason);
}

}  // namespace

std::optional<Source> FileLoader::load(std::string_view name, std::string_view importer,
                                       std::vector<std::string>& searched) {
  const fs::path wanted(name);
  std::vector<fs::path> places;
  if (importer.empty() || wanted.is_absolute()) {
    places.push_back(wanted);
  } else {
    places.push_back(fs::path(importer).parent_path() / wanted);
    for (const auto& folder : folders_) places.push_back(fs::path(folder) / wanted);
  }
  for (const auto& place : places) {
    const std::string path = place.lexically_normal().string();
    std::string reason;
    if (auto text = read_file(path, reason)) {
      std::error_code failed;
      const fs::path identity = fs::weakly_canonical(place, failed);
      return Source{path, std::move(*text), failed ? path : identity.string()};
    }
    searched.push_back(reason.empty() ? path : path + ": " + reason);
  }
  return std::nullopt;
}

std::optional<Source> MapLoader::load(std::string_view name, std::string_view,
                                      std::vector<std::string>& searched) {
  searched.emplace_back(name);
  const auto found = texts_.find(name);
  if (found == texts_.end()) return std::nullopt;
  return Source{found->first, found->second};
}

}  // namespace blockyard::sial
