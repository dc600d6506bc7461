// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <string_view>

#include "blockyard/base/error.h"
#include "blockyard/qc/basis_set.h"
#include "blockyard/qc/detail/words.h"
#include "blockyard/qc/element.h"

namespace blockyard::qc::detail {

/// The basis set of a text in a format that goes line by line. A Reader is made over the basis set
/// and has read_line(words) and finish(). The rest of a line after `comment` is left out. Throws
/// Error{bad_input} with the name of the basis set and the line.
template <class Reader>
BasisSet read_basis(std::string_view text, std::string_view name, char comment) {
  BasisSet basis{std::string(name), {}};
  Reader reader(basis);
  const auto lines = split_lines(text);
  for (std::size_t line = 0; line <= lines.size(); ++line) {
    try {
      if (line == lines.size()) {
        reader.finish();
        break;
      }
      const auto words = split_words(lines[line].substr(0, lines[line].find(comment)));
      if (!words.empty()) reader.read_line(words);
    } catch (const base::Error& error) {
      throw base::Error(base::Errc::bad_input,
                        fmt::format("basis set {}, line {}: {}", name, line + 1, error.what()));
    }
  }
  if (basis.elements.empty() && basis.cores.empty())
    throw base::Error(base::Errc::bad_input, fmt::format("basis set {} holds no element", name));
  const auto is_heavier = [](const auto& element) { return element.first > heaviest_element; };
  std::erase_if(basis.elements, is_heavier);
  std::erase_if(basis.cores, is_heavier);
  return basis;
}

}  // namespace blockyard::qc::detail
