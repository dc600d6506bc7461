// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "blockyard/base/split.h"

namespace blockyard::base {

namespace {

using Row = std::vector<std::string>;

constexpr std::size_t indent = 2;
constexpr std::size_t gap = 2;

std::size_t widest_cell(std::span<const Row> rows, std::size_t column) {
  std::size_t widest = 0;
  for (const Row& row : rows)
    if (column < row.size()) widest = std::max(widest, row[column].size());
  return widest;
}

std::string print_row(const Row& row, std::span<const Column> columns,
                      std::span<const std::size_t> shown) {
  std::string line(indent, ' ');
  for (const std::size_t k : shown) {
    const std::string_view cell = k < row.size() ? std::string_view(row[k]) : "";
    line += columns[k].is_left ? fmt::format("{:<{}}", cell, columns[k].width)
                               : fmt::format("{:>{}}", cell, columns[k].width);
  }
  line.resize(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// Sets of columns of which each fits into `width` and begins with the first column.
std::vector<std::vector<std::size_t>> groups_of(std::span<const Column> columns,
                                                std::size_t width) {
  std::vector<std::vector<std::size_t>> groups{{0}};
  std::size_t used = indent + columns[0].width;
  for (std::size_t k = 1; k < columns.size(); ++k) {
    if (used + columns[k].width > width && groups.back().size() > 1) {
      groups.push_back({0});
      used = indent + columns[0].width;
    }
    groups.back().push_back(k);
    used += columns[k].width;
  }
  return groups;
}

}  // namespace

std::string wrap(std::string_view text, std::size_t width, std::size_t indent_columns) {
  std::size_t column = std::min(text.find_first_not_of(' '), text.size());
  std::string out(text.substr(0, column));
  bool is_first = true;
  for (const std::string& word : split(text.substr(column), ' ')) {
    if (!is_first && column + 1 + word.size() > width) {
      out += "\n" + std::string(indent_columns, ' ');
      column = indent_columns;
    } else if (!is_first) {
      out += " ";
      ++column;
    }
    out += word;
    column += word.size();
    is_first = false;
  }
  return out;
}

std::string print_table(std::span<const Column> columns, std::span<const Row> rows,
                        std::size_t width) {
  if (columns.empty()) return "";
  std::vector<Column> set(columns.begin(), columns.end());
  for (std::size_t k = 0; k < set.size(); ++k)
    set[k].width = std::max(set[k].width, widest_cell(rows, k) + 1);
  const std::size_t all =
      std::accumulate(set.begin(), set.end(), indent,
                      [](std::size_t sum, const Column& column) { return sum + column.width; });
  if (all > width)
    for (std::size_t k = 0; k < set.size(); ++k) set[k].width = widest_cell(rows, k) + gap;
  std::string text;
  for (const std::vector<std::size_t>& shown : groups_of(set, width)) {
    if (!text.empty()) text += "\n";
    for (const Row& row : rows) text += print_row(row, set, shown);
  }
  return text;
}

}  // namespace blockyard::base
