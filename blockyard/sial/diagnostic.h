// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace blockyard::sial {

enum class Severity : std::uint8_t { error, warning };

/// One finding about a user's source: the fault, its place, and what to do. A plain value.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;                ///< short and stable, like "undeclared-name"
  std::string file;                ///< as the user named it
  std::uint32_t line = 1;          ///< from 1
  std::uint32_t column = 1;        ///< in bytes, from 1
  std::uint32_t length = 1;        ///< bytes to underline, on this line
  std::string message;             ///< what is wrong
  std::string hint;                ///< what to do; may be empty
  std::string source_line;         ///< the line (a part of it if it is very long)
  std::uint32_t first_column = 1;  ///< the column at which `source_line` begins
  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

[[nodiscard]] bool has_error(std::span<const Diagnostic> found) noexcept;

/// For a terminal, several lines:
///   p.sial:3:5: error: what is wrong [code]
///     3 | the source line
///       |     ^~~
///       = what to do
[[nodiscard]] std::string render_text(const Diagnostic& diagnostic);
[[nodiscard]] std::string render_text(std::span<const Diagnostic> found);

/// {"diagnostics": [{"severity", "code", "file", "line", "column", "length", "message", "hint"}]}
/// as one JSON object; bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string render_json(std::span<const Diagnostic> found);

}  // namespace blockyard::sial
