// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "blockyard/sial/diagnostic.h"
#include "blockyard/sial/source.h"

namespace blockyard::sial {

/// A stretch of one source line. `file` counts the sources of a compilation.
struct Place {
  std::uint32_t file = 0;
  std::uint32_t line = 1;
  std::uint32_t column = 1;  ///< in bytes, from 1
  std::uint32_t length = 1;
  friend bool operator==(const Place&, const Place&) = default;
};

/// The sources of one compilation and what was found in them. Every stage adds to it.
class Findings {
 public:
  /// More errors than this are not kept: a hostile input must not fill the memory.
  static constexpr std::size_t most = 500;

  /// Takes a source; its number is the `file` of places.
  std::uint32_t add_source(Source source);
  [[nodiscard]] const std::vector<Source>& sources() const noexcept { return sources_; }

  void error(std::string_view code, Place at, std::string message, std::string hint = {});
  /// An error of the lexer: what later stages find on this line comes from it and is left out.
  void lexical_error(std::string_view code, Place at, std::string message, std::string hint);
  void warning(std::string_view code, Place at, std::string message, std::string hint = {});

  [[nodiscard]] bool has_error() const noexcept { return error_count_ > 0; }
  [[nodiscard]] std::size_t error_count() const noexcept { return error_count_; }
  /// The line of a place without its end; empty if the source has none of this number.
  [[nodiscard]] std::string_view line_of(Place at) const;
  /// "file.sial:12", for messages that point at a second place.
  [[nodiscard]] std::string describe(Place at) const;
  /// Everything found, by file and place.
  [[nodiscard]] std::vector<Diagnostic> take();

 private:
  void add(Severity severity, std::string_view code, Place at, std::string message,
           std::string hint);

  struct Entry {
    Place at;
    Diagnostic diagnostic;
  };
  std::vector<Source> sources_;
  std::vector<std::vector<std::size_t>> line_starts_;  ///< offsets, for each source
  std::vector<Entry> entries_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::string>> seen_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> broken_lines_;  ///< file, line
  std::size_t error_count_ = 0;
};

}  // namespace blockyard::sial
