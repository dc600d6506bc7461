// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/number.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace blockyard::base {

std::optional<double> parse_number(std::string_view word) {
  if (word.size() > 1 && word.front() == '+' && word[1] != '-') word.remove_prefix(1);
  std::string plain(word);
  std::ranges::replace_if(
      plain, [](char c) { return c == 'd' || c == 'D'; }, 'e');
  double value = 0;
  const char* const end = plain.data() + plain.size();
  const auto [stopped, status] = std::from_chars(plain.data(), end, value);
  if (status != std::errc() || stopped != end) return std::nullopt;
  return value;
}

}  // namespace blockyard::base
