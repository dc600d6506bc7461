// SPDX-License-Identifier: Apache-2.0
#include "blockyard/aces/zmat/split_keywords.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "blockyard/base/split.h"
#include "blockyard/base/text.h"

namespace blockyard::aces::zmat {

std::vector<Keyword> split_keywords(const Parts& parts) {
  std::vector<Keyword> keywords;
  const auto add = [&](const Line& line, std::string_view text) {
    const auto words = words_of(text);
    std::string joined;
    for (const std::string& word : words) joined += word;
    if (joined.empty()) return;
    const std::size_t sign = joined.find('=');
    if (sign == 0 || sign == std::string::npos || sign + 1 == joined.size())
      throw parts.error(line, fmt::format("\"{}\" is not of the form KEYWORD=value", joined));
    keywords.push_back(
        {line, base::lower(joined.substr(0, sign)), base::lower(joined.substr(sign + 1))});
  };
  for (const Line& line : parts.keywords)
    for (const std::string& part : base::split_outside_brackets(line.text, ',')) add(line, part);
  return keywords;
}

}  // namespace blockyard::aces::zmat
