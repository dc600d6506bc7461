// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::base {
namespace {

/// Number of single-letter insertions, deletions, changes and swaps of neighbours ("rnu", "run").
/// Source: Wagner & Fischer, J. ACM 21, 168 (1974); with swaps: Damerau, Comm. ACM 7, 171 (1964).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  std::vector<std::size_t> above = row;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    const std::vector<std::size_t> two_above = std::exchange(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(lower(name), lower(candidate));
    const bool has_common = distance < std::max(name.size(), candidate.size());
    if (has_common && distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::int64_t parse_bytes(std::string_view text, std::string_view what) {
  const auto wrong = [&] {
    return Error(
        Errc::bad_input,
        fmt::format("{}: '{}' is not an amount of memory; write it like 300M or 4G", what, text));
  };
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || !(number > 0) || !std::isfinite(number)) throw wrong();
  std::string unit = lower(text.substr(static_cast<std::size_t>(end - text.data())));
  for (const std::string_view ending : {"ib", "b"})
    if (unit.size() >= ending.size() && unit.ends_with(ending)) {
      unit.resize(unit.size() - ending.size());
      break;
    }
  constexpr std::string_view units = "kmgt";
  double scale = 1;
  if (unit.size() > 1) throw wrong();
  if (unit.size() == 1) {
    const auto power = units.find(unit[0]);
    if (power == std::string_view::npos) throw wrong();
    scale = std::pow(1024.0, static_cast<double>(power + 1));
  }
  if (number * scale > 9.0e18) throw wrong();
  return static_cast<std::int64_t>(number * scale);
}

double parse_seconds(std::string_view text, std::string_view what) {
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit = lower(text.substr(static_cast<std::size_t>(end - text.data())));
  const double seconds = unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (status != std::errc{} || !(number >= 0) || seconds == 0)
    throw Error(
        Errc::bad_input,
        fmt::format("{}: '{}' is not a length of time; write it like 90s, 10m or 2h", what, text));
  if (!(number * seconds < 1e9))
    throw Error(Errc::bad_input, fmt::format("{}: '{}' is more than 30 years", what, text));
  return number * seconds;
}

std::string format_bytes(std::int64_t bytes) {
  constexpr std::array<std::string_view, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string showable(std::string_view text) {
  std::string result(text);
  std::size_t length = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto c = static_cast<unsigned char>(text[k]);
    // U+0080 to U+009F, which are control characters too, are C2 80 to C2 9F in UTF-8.
    const bool is_wide =
        c == 0xc2 && k + 1 < text.size() && static_cast<unsigned char>(text[k + 1]) < 0xa0;
    const bool is_control = (c < ' ' && c != '\n' && c != '\t') || c == 0x7f || is_wide;
    result[length++] = is_control ? '?' : text[k];
    if (is_wide) ++k;
  }
  result.erase(length);
  return result;
}

}  // namespace blockyard::base
