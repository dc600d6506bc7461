// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/detail/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "blockyard/base/error.h"
#include "blockyard/base/number.h"
#include "blockyard/base/read_file.h"
#include "blockyard/base/text.h"

namespace blockyard::qc::detail {

std::vector<std::string_view> split_words(std::string_view line) {
  constexpr std::string_view blanks = " \t\r\v\f";
  std::vector<std::string_view> words;
  for (auto begin = line.find_first_not_of(blanks); begin != std::string_view::npos;
       begin = line.find_first_not_of(blanks)) {
    line.remove_prefix(begin);
    const auto end = std::min(line.find_first_of(blanks), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return base::showable(line);
}

std::optional<double> parse_real(std::string_view word) {
  const auto value = base::parse_number(word);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_integer(std::string_view word) {
  if (word.size() > 1 && word.front() == '+' && word[1] != '-') word.remove_prefix(1);
  std::int64_t value = 0;
  const auto end = word.data() + word.size();
  const auto [stopped, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

std::string read_text_file(const std::string& path, std::string_view purpose) {
  try {
    return base::read_text(path);
  } catch (const base::Error& error) {
    throw base::Error(error.code(), fmt::format("{}: {}", purpose, error.what()));
  }
}

}  // namespace blockyard::qc::detail
