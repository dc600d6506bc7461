// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/split.h"

#include <algorithm>

namespace blockyard::base {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::string> split_outside_brackets(std::string_view text, char separator) {
  constexpr std::string_view opening = "([{", closing = ")]}";
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += opening.find(c) != opening.npos ? 1 : closing.find(c) != closing.npos ? -1 : 0;
    if (c == separator && depth <= 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

}  // namespace blockyard::base
