// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace blockyard::plugin {

/// What is wrong with the value of a known option.
inline constexpr const char* not_a_number = "wants a whole number";

/// Calls `take(key, value)` for every word "key=value" of `text`; it returns what is wrong, or "".
/// Returns the first such answer.
template <class Take>
[[nodiscard]] std::string read_options(std::string_view text, Take take) {
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size() + (word.size() < text.size() ? 1 : 0));
    if (word.empty()) continue;
    const std::size_t sign = word.find('=');
    std::string wrong = sign == std::string_view::npos
                            ? "it is not key=value"
                            : take(word.substr(0, sign), word.substr(sign + 1));
    if (wrong == not_a_number) return "option '" + std::string(word) + "' " + wrong;
    if (!wrong.empty()) return "unknown option '" + std::string(word) + "': " + wrong;
  }
  return {};
}

/// A whole number that is all of `text`. Returns what is wrong, or "".
[[nodiscard]] inline std::string read_number(std::string_view text, std::uint64_t& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end ? "" : not_a_number;
}

}  // namespace blockyard::plugin
