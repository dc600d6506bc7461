// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

/// Pages that need no script.
namespace blockyard::report::detail {

/// Text that HTML shows as it is.
[[nodiscard]] std::string escaped(std::string_view text);
[[nodiscard]] std::string bytes_text(double bytes);

/// A row of a table; cells are HTML.
[[nodiscard]] std::string row(std::initializer_list<std::string> cells,
                              std::string_view tag = "td");
[[nodiscard]] std::string table(const std::string& head, const std::string& rows);

/// `title` and the line `below` it are text, `sections` HTML.
[[nodiscard]] std::string html_page(const std::string& title, const std::string& below,
                                    const std::string& sections);

}  // namespace blockyard::report::detail
