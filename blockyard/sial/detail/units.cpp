// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/detail/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "blockyard/sial/lex.h"
#include "blockyard/sial/parse.h"

namespace blockyard::sial::detail {
namespace {

class Collector {
 public:
  Collector(SourceLoader& loader, Findings& findings) : loader_(loader), findings_(findings) {}

  std::vector<ast::Unit> run(std::string_view path) {
    std::vector<std::string> searched;
    auto source = loader_.load(path, "", searched);
    if (!source) {
      const bool is_there = !searched.empty() && searched.front().find(": ") != std::string::npos;
      findings_.error(
          "file-not-found", start_of(path),
          is_there ? "cannot read " + searched.front() : fmt::format("there is no file '{}'", path),
          "give the path of a SIAL program");
      return {};
    }
    if (is_binary(source->text)) {
      report_binary(*source, start_of(source->path), findings_);
      return {};
    }
    read(std::move(*source));
    // Post-order backwards: importers before what they import.
    std::reverse(units_.begin(), units_.end());
    for (auto& unit : units_)
      for (auto& other : unit.imported) other = units_.size() - 1 - other;
    return std::move(units_);
  }

 private:
  /// The place of an error about a file as a whole, whose text is not shown.
  Place start_of(std::string_view path) {
    return {findings_.add_source({std::string(path), ""}), 1, 1, 1};
  }

  /// The place in units_ of the file and of all it imports.
  std::size_t read(Source source) {
    const std::string path = source.path;
    const std::string id = source.id();
    const auto file = findings_.add_source(std::move(source));
    open_.push_back(path);
    open_ids_.push_back(id);
    ast::Unit unit = parse(lex(file, findings_), findings_);
    for (const auto& import : unit.imports) follow(import, path, unit);
    open_.pop_back();
    open_ids_.pop_back();
    units_.push_back(std::move(unit));
    done_[id] = units_.size() - 1;
    return units_.size() - 1;
  }

  void follow(const ast::Import& import, const std::string& importer, ast::Unit& unit) {
    std::vector<std::string> searched;
    auto source = loader_.load(import.path, importer, searched);
    if (!source) {
      findings_.error("import-not-found", import.at,
                      fmt::format("imported file '{}' is not found", import.path),
                      fmt::format("looked for {}", fmt::join(searched, ", ")));
      return;
    }
    if (is_binary(source->text)) return report_binary(*source, import.at, findings_);
    if (const auto open = std::ranges::find(open_ids_, source->id()); open != open_ids_.end()) {
      const auto circle = open_.begin() + (open - open_ids_.begin());
      findings_.error("circular-import", import.at,
                      fmt::format("'{}' imports itself", source->path),
                      fmt::format("the circle is {} -> {}",
                                  fmt::join(std::vector<std::string>(circle, open_.end()), " -> "),
                                  source->path));
      return;
    }
    const auto known = done_.find(source->id());
    const std::size_t other = known != done_.end() ? known->second : read(std::move(*source));
    if (std::find(unit.imported.begin(), unit.imported.end(), other) == unit.imported.end())
      unit.imported.push_back(other);
  }

  SourceLoader& loader_;
  Findings& findings_;
  std::vector<ast::Unit> units_;
  std::vector<std::string> open_;      ///< files being read, the program first
  std::vector<std::string> open_ids_;  ///< their identities
  std::map<std::string, std::size_t> done_;
};

}  // namespace

std::vector<ast::Unit> load_units(std::string_view path, SourceLoader& loader, Findings& findings) {
  return Collector(loader, findings).run(path);
}

}  // namespace blockyard::sial::detail
