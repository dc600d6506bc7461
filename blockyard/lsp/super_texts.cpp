// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lsp/super_texts.h"

#include <algorithm>
#include <vector>

#include "blockyard/lsp/detail/page.h"

namespace blockyard::lsp {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// The cells of a row of a table; "\|" is a bar within a cell.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t k = 1; k < line.size(); ++k) {
    if (line[k] == '|' && line[k - 1] == '\\') {
      cell.back() = '|';
    } else if (line[k] == '|') {
      cells.emplace_back(trimmed(cell));
      cell.clear();
    } else {
      cell += line[k];
    }
  }
  return cells;
}

/// The parts between `separators`.
std::vector<std::string> parts_of(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(trimmed(text.substr(begin, end - begin)));
    begin = end + separator.size();
  }
  return parts;
}

/// The names in "`a`, `b`", and all of "`a1` .. `a8`".
std::vector<std::string> names_of(std::string_view cell) {
  std::vector<std::string> names;
  for (std::size_t open = cell.find('`'); open != cell.npos; open = cell.find('`', open)) {
    const std::size_t close = std::min(cell.find('`', open + 1), cell.size());
    const std::string name(cell.substr(open + 1, close - open - 1));
    const bool ends_range = !names.empty() && cell.substr(0, open).ends_with(" .. ");
    if (ends_range)
      for (char digit = static_cast<char>(names.back().back() + 1); digit < name.back(); ++digit)
        names.push_back(name.substr(0, name.size() - 1) + digit);
    names.push_back(name);
    open = std::min(close + 1, cell.size());
  }
  return names;
}

void read_row(std::string_view line, SuperTexts& texts) {
  const std::vector<std::string> cells = cells_of(line);
  if (cells.size() != 3) return;
  const std::vector<std::string> accesses = parts_of(cells[1], ",");
  const std::vector<std::string> names = names_of(cells[0]);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string& access = accesses.size() == names.size() ? accesses[k] : accesses[0];
    texts[names[k]] = {access.find_first_not_of("rwu") == std::string::npos ? access : "",
                       cells[2]};
  }
}

}  // namespace

SuperTexts read_super_texts(std::string_view page) {
  SuperTexts texts;
  for (const std::string& line : parts_of(page, "\n"))
    if (line.starts_with("| `")) read_row(line, texts);
  return texts;
}

const SuperTexts& super_texts() {
  static const SuperTexts texts = read_super_texts(detail::super_instructions_page());
  return texts;
}

}  // namespace blockyard::lsp
