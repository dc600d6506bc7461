// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/program_file.h"

#include <fmt/format.h>

#include <fstream>
#include <span>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/base/read_file.h"
#include "blockyard/program/file.h"
#include "blockyard/sial/compile.h"

namespace blockyard::job {

namespace {

/// The texts of the places, then files.
class SourcesOf final : public sial::SourceLoader {
 public:
  explicit SourcesOf(const input::Places& places)
      : texts_(places.texts), files_(source_loader(places)) {}
  std::optional<sial::Source> load(std::string_view name, std::string_view importer,
                                   std::vector<std::string>& searched) override {
    if (const auto found = texts_.find(name); found != texts_.end())
      return sial::Source{found->first, found->second};
    return files_.load(name, importer, searched);
  }

 private:
  const std::map<std::string, std::string, std::less<>>& texts_;
  sial::FileLoader files_;
};

}  // namespace

sial::FileLoader source_loader(const input::Places& places) {
  std::vector<std::string> folders = places.imports;
  folders.push_back(places.programs);
  return sial::FileLoader(std::move(folders));
}

bool is_compiled(const std::string& path) {
  if (path.ends_with(compiled_ending)) return true;
  std::string begin(program::file_magic.size(), '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return in && begin == program::file_magic;
}

LoadedProgram load_program(const std::string& path, const input::Places& places) {
  if (is_compiled(path)) {
    const std::string bytes = base::read_file(path);
    try {
      return {program::read(std::as_bytes(std::span(bytes))), {}};
    } catch (const base::Error& error) {
      throw base::Error(error.code(), fmt::format("{}: {}", path, error.what()));
    }
  }
  SourcesOf loader(places);
  sial::Compilation compiled = sial::compile_file(path, loader);
  return {std::move(compiled.program), std::move(compiled.found)};
}

std::vector<std::string> program_files(const std::string& path, const input::Places& places) {
  if (is_compiled(path)) return {path};
  sial::FileLoader loader = source_loader(places);
  return sial::source_files(path, loader);
}

}  // namespace blockyard::job
