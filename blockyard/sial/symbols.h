// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/sial/source.h"

namespace blockyard::sial {

/// A name that a program declares, for editors.
struct DeclaredName {
  std::string name;  ///< lower case
  std::string kind;  ///< the word of the declaration: "aoindex", "distributed", "proc", ...
  std::string file;
  std::uint32_t line = 1;    ///< from 1
  std::uint32_t column = 1;  ///< in bytes, from 1
  std::uint32_t length = 1;
  std::string declaration;           ///< its source line, without blanks at the ends
  std::vector<std::string> indexes;  ///< of an array; the parent of a subindex
  friend bool operator==(const DeclaredName&, const DeclaredName&) = default;
};

/// The declarations of the program of file `path` and its imports, in source order, as far as
/// they can be read: errors are left to check_file.
[[nodiscard]] std::vector<DeclaredName> declared_names(std::string_view path, SourceLoader& loader);

/// An occurrence of a name in a text; columns in bytes, from 1.
struct NameUse {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::uint32_t length = 1;
  std::string name;  ///< lower case
};

/// All names in a text, including keywords.
[[nodiscard]] std::vector<NameUse> names_in(std::string_view text);

/// The words of the language that a statement or declaration may begin with or contain.
[[nodiscard]] const std::vector<std::string_view>& keywords();

}  // namespace blockyard::sial
