// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lsp/edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"

namespace blockyard::lsp {
namespace {

namespace fs = std::filesystem;
using base::Errc;
using base::Error;

/// The text between the quotes of "did you mean '...'?"; "" if the text does not say so.
std::string suggestion_in(const std::string& message) {
  constexpr std::string_view begin = "did you mean '";
  const std::size_t at = message.find(begin);
  if (at == std::string::npos) return "";
  const std::size_t from = at + begin.size();
  const std::size_t to = message.find("'?", from);
  return to == std::string::npos ? "" : message.substr(from, to - from);
}

void check_name(const std::string& name) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  const bool is_name = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
                       std::ranges::all_of(name, is_word);
  if (!is_name)
    throw Error(Errc::bad_input,
                fmt::format("'{}' is not a name: use letters, digits and _, a letter first", name));
  if (std::ranges::count(sial::keywords(), base::lower(name)) > 0)
    throw Error(Errc::bad_input, fmt::format("'{}' is a word of the language", name));
}

/// The open texts, the file of the declaration and the SIAL files next to it.
std::set<std::string> candidates(const Documents& documents, const std::string& declaring) {
  std::set<std::string> paths = {declaring};
  for (const auto& [path, text] : documents.all()) paths.insert(path);
  std::error_code ignored;
  for (fs::directory_iterator file(fs::path(declaring).parent_path(), ignored), end;
       !ignored && file != end; file.increment(ignored))
    if (file->path().extension() == ".sial" || file->path().extension() == ".sialx")
      paths.insert(file->path().string());
  return paths;
}

/// The name of the program that a text holds: the word after `sial`.
std::string program_of(const std::string& text) {
  const std::vector<sial::NameUse> names = sial::names_in(text);
  const auto head = std::ranges::find(names, "sial", &sial::NameUse::name);
  return head == names.end() || head + 1 == names.end() ? "" : (head + 1)->name;
}

Json edits_in(const std::string& text, const std::string& old, const std::string& dotted,
              const std::string& fresh) {
  const Lines lines(text);
  Json edits = Json::array();
  for (const sial::NameUse& use : sial::names_in(text)) {
    if (use.name != old && use.name != dotted) continue;
    const auto length = static_cast<std::uint32_t>(old.size());
    edits.push_back({{"range", range_of(lines, use.line, use.column + use.length - length, length)},
                     {"newText", fresh}});
  }
  return edits;
}

}  // namespace

Json range_of(const Lines& lines, std::uint32_t line, std::uint32_t column, std::uint32_t length) {
  const auto place = [&](std::size_t bytes) {
    return Json{{"line", line - 1}, {"character", lines.units(line - 1, bytes)}};
  };
  return {{"start", place(column - 1)}, {"end", place(column - 1 + length)}};
}

Json quick_fixes(const std::string& uri, const Json& diagnostics) {
  Json actions = Json::array();
  for (const Json& diagnostic : diagnostics) {
    const std::string word = suggestion_in(diagnostic.value("message", ""));
    if (word.empty()) continue;
    const Json edit = {{"range", diagnostic.at("range")}, {"newText", word}};
    actions.push_back({{"title", fmt::format("Change to '{}'", word)},
                       {"kind", "quickfix"},
                       {"isPreferred", true},
                       {"diagnostics", Json::array({diagnostic})},
                       {"edit", {{"changes", {{uri, Json::array({edit})}}}}}});
  }
  return actions;
}

const sial::DeclaredName* find_declared(const std::vector<sial::DeclaredName>& names,
                                        const std::string& use, const Documents& documents) {
  const std::size_t dot = use.rfind('.');
  const std::string name = dot == std::string::npos ? use : use.substr(dot + 1);
  const auto found = std::ranges::find_if(names, [&](const sial::DeclaredName& one) {
    return one.name == name &&
           (dot == std::string::npos || program_of(documents.text(one.file)) == use.substr(0, dot));
  });
  return found == names.end() ? nullptr : &*found;
}

Json rename(const Documents& documents, const sial::DeclaredName& old, const std::string& fresh) {
  check_name(fresh);
  const std::string dotted = program_of(documents.text(old.file)) + "." + old.name;
  Json changes = Json::object();
  for (const std::string& path : candidates(documents, old.file)) {
    const auto names = sial::declared_names(path, *documents.loader());
    const auto is_same = [&](const sial::DeclaredName& one) {
      return one.name == old.name && one.file == old.file && one.line == old.line;
    };
    if (std::ranges::none_of(names, is_same)) continue;
    if (base::lower(fresh) != old.name &&
        std::ranges::count(names, base::lower(fresh), &sial::DeclaredName::name) > 0)
      throw Error(Errc::bad_input, fmt::format("{} already has a name '{}'", path, fresh));
    Json edits = edits_in(documents.text(path), old.name, dotted, fresh);
    if (!edits.empty()) changes[uri_of(path)] = std::move(edits);
  }
  return {{"changes", changes}};
}

}  // namespace blockyard::lsp
