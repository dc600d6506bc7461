// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/detail/html.h"

#include <fmt/format.h>

#include <iterator>

#include "blockyard/report/detail/assets.h"

namespace blockyard::report::detail {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

std::string bytes_text(double bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, units[unit]);
}

std::string row(std::initializer_list<std::string> cells, std::string_view tag) {
  std::string out = "<tr>";
  for (const std::string& cell : cells) out += fmt::format("<{0}>{1}</{0}>", tag, cell);
  return out + "</tr>\n";
}

std::string table(const std::string& head, const std::string& rows) {
  return fmt::format(
      "<div class=\"scroll\"><table><thead>{}</thead><tbody>\n{}</tbody></table></div>\n", head,
      rows);
}

std::string html_page(const std::string& title, const std::string& below,
                      const std::string& sections) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>{0}</title><style>{1}</style></head><body><header>"
      "<h1>{0}</h1><p class=\"soft\">{2}</p></header><main>\n{3}</main></body></html>\n",
      escaped(title), assets::css(), escaped(below), sections);
}

}  // namespace blockyard::report::detail
