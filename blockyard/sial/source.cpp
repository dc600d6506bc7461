// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/source.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace blockyard::sial {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> read_file(const fs::path& path) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
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
    searched.push_back(path);
    if (auto text = read_file(path)) return Source{path, std::move(*text)};
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
