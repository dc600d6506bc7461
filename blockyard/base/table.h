// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace blockyard::base {

/// The words of `text` in lines of at most `width` columns, the second and later ones after
/// `indent` spaces. A word that is longer than a line keeps a line of its own.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

/// How the cells of one column are set.
struct Column {
  std::size_t width = 0;  // with the space before (right) or after (left) the widest cell
  bool is_left = false;
};

/// The rows, the first of which has the titles, in lines of at most `width` characters that begin
/// with two spaces. A row may have fewer cells than there are columns. If the columns do not fit,
/// they get only the width that their cells need; those that do not fit then follow in a further
/// table below, which repeats the first column.
[[nodiscard]] std::string print_table(std::span<const Column> columns,
                                      std::span<const std::vector<std::string>> rows,
                                      std::size_t width);

}  // namespace blockyard::base
