// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace blockyard::sial {
namespace {

std::string_view name_of(Severity severity) {
  return severity == Severity::error ? "error" : "warning";
}

/// Spaces up to the marked place: tabs stay tabs, a UTF-8 character counts once.
std::string caret_line(const Diagnostic& diagnostic) {
  const std::string& line = diagnostic.source_line;
  const std::size_t begin =
      std::min<std::size_t>(diagnostic.column - diagnostic.first_column, line.size());
  const std::size_t end = std::min<std::size_t>(begin + diagnostic.length, line.size());
  std::string result;
  const auto append = [&](std::size_t from, std::size_t to, char mark) {
    for (std::size_t k = from; k < to; ++k) {
      if ((static_cast<unsigned char>(line[k]) & 0xC0u) == 0x80u) continue;
      result += mark == ' ' && line[k] == '\t' ? '\t' : mark;
    }
  };
  append(0, begin, ' ');
  result += '^';
  append(begin + 1, end, '~');
  return result;
}

/// Control characters as `?`: a source must not drive the terminal.
std::string shown(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f) c = '?';
  return result;
}

}  // namespace

bool has_error(std::span<const Diagnostic> found) noexcept {
  return std::any_of(found.begin(), found.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::error; });
}

std::string render_text(const Diagnostic& d) {
  std::string result = fmt::format("{}:{}:{}: {}: {} [{}]\n", d.file, d.line, d.column,
                                   name_of(d.severity), shown(d.message), d.code);
  if (!d.source_line.empty()) {
    result += fmt::format("{:5} | {}\n", d.line, shown(d.source_line));
    result += fmt::format("      | {}\n", caret_line(d));
  }
  if (!d.hint.empty()) result += fmt::format("      = {}\n", shown(d.hint));
  return result;
}

std::string render_text(std::span<const Diagnostic> found) {
  std::string result;
  for (const auto& diagnostic : found) result += render_text(diagnostic);
  return result;
}

std::string render_json(std::span<const Diagnostic> found) {
  auto list = nlohmann::json::array();
  for (const auto& d : found)
    list.push_back({{"severity", name_of(d.severity)},
                    {"code", d.code},
                    {"file", d.file},
                    {"line", d.line},
                    {"column", d.column},
                    {"length", d.length},
                    {"message", d.message},
                    {"hint", d.hint}});
  const nlohmann::json object = {{"diagnostics", std::move(list)}};
  return object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace blockyard::sial
