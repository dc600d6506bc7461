// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/findings.h"

#include <fmt/format.h>

#include <algorithm>

namespace blockyard::sial {
namespace {

/// Longest piece of a source line that a diagnostic carries.
constexpr std::size_t most_shown = 200;

bool is_inside_character(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

/// The piece of `line` around `column` (from 1), cut at whole UTF-8 characters.
void show_line(Diagnostic& diagnostic, std::string_view line) {
  std::size_t first = 0;
  if (diagnostic.column > most_shown) first = diagnostic.column - most_shown / 2;
  first = std::min(first, line.size());
  while (first < line.size() && is_inside_character(line[first])) ++first;
  std::size_t last = std::min(line.size(), first + most_shown);
  while (last > first && last < line.size() && is_inside_character(line[last])) --last;
  diagnostic.source_line = line.substr(first, last - first);
  diagnostic.first_column = static_cast<std::uint32_t>(first + 1);
}

}  // namespace

std::uint32_t Findings::add_source(Source source) {
  std::vector<std::size_t> starts = {0};
  for (std::size_t k = 0; k < source.text.size(); ++k)
    if (source.text[k] == '\n') starts.push_back(k + 1);
  sources_.push_back(std::move(source));
  line_starts_.push_back(std::move(starts));
  return static_cast<std::uint32_t>(sources_.size() - 1);
}

void Findings::error(std::string_view code, Place at, std::string message, std::string hint) {
  if (broken_lines_.contains({at.file, at.line})) return;
  add(Severity::error, code, at, std::move(message), std::move(hint));
}

void Findings::lexical_error(std::string_view code, Place at, std::string message,
                             std::string hint) {
  broken_lines_.emplace(at.file, at.line);
  add(Severity::error, code, at, std::move(message), std::move(hint));
}

void Findings::warning(std::string_view code, Place at, std::string message, std::string hint) {
  add(Severity::warning, code, at, std::move(message), std::move(hint));
}

std::string_view Findings::line_of(Place at) const {
  const auto& starts = line_starts_.at(at.file);
  if (at.line > starts.size()) return {};
  const std::string_view rest =
      std::string_view(sources_[at.file].text).substr(starts[at.line - 1]);
  std::string_view line = rest.substr(0, rest.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string Findings::describe(Place at) const {
  return fmt::format("{}:{}", sources_.at(at.file).path, at.line);
}

void Findings::add(Severity severity, std::string_view code, Place at, std::string message,
                   std::string hint) {
  if (severity == Severity::error) ++error_count_;
  // An error is never lost to warnings: the last of them goes.
  auto last = entries_.end();
  if (entries_.size() >= most) {
    if (severity != Severity::error) return;
    const auto is_warning = [](const Entry& entry) {
      return entry.diagnostic.severity != Severity::error;
    };
    const auto found = std::find_if(entries_.rbegin(), entries_.rend(), is_warning);
    if (found == entries_.rend()) return;
    last = std::prev(found.base());
  }
  if (!seen_.emplace(at.file, at.line, at.column, code).second) return;
  if (last != entries_.end()) entries_.erase(last);
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.code = code;
  diagnostic.file = sources_.at(at.file).path;
  diagnostic.line = at.line;
  diagnostic.column = at.column;
  diagnostic.length = at.length;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  if (at.line <= line_starts_.at(at.file).size()) show_line(diagnostic, line_of(at));
  entries_.push_back({at, std::move(diagnostic)});
}

std::vector<Diagnostic> Findings::take() {
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.at.file, a.at.line, a.at.column) <
           std::tie(b.at.file, b.at.line, b.at.column);
  });
  std::vector<Diagnostic> result;
  for (auto& entry : entries_) result.push_back(std::move(entry.diagnostic));
  entries_.clear();
  return result;
}

}  // namespace blockyard::sial
