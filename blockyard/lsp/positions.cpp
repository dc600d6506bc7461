// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lsp/positions.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>

namespace blockyard::lsp {
namespace {

/// Bytes of the character that begins with `first`, and its UTF-16 units.
struct Width {
  std::size_t bytes;
  std::size_t units;
};

Width width_of(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte >= 0xf0) return {4, 2};
  if (byte >= 0xe0) return {3, 1};
  if (byte >= 0xc0) return {2, 1};
  return {1, 1};
}

constexpr std::string_view scheme = "file://";

}  // namespace

Lines::Lines(std::string_view text) {
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find('\n', begin);
    lines_.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return;
    begin = end + 1;
  }
}

std::string_view Lines::line(std::size_t number) const noexcept {
  return number < lines_.size() ? std::string_view(lines_[number]) : std::string_view();
}

std::size_t Lines::units(std::size_t number, std::size_t bytes) const {
  const std::string_view text = line(number);
  std::size_t units = 0;
  for (std::size_t at = 0; at < std::min(bytes, text.size());) {
    const Width width = width_of(text[at]);
    at += width.bytes;
    units += width.units;
  }
  return units;
}

std::size_t Lines::bytes(std::size_t number, std::size_t units) const {
  const std::string_view text = line(number);
  std::size_t at = 0;
  for (std::size_t passed = 0; passed < units && at < text.size();) {
    const Width width = width_of(text[at]);
    at += width.bytes;
    passed += width.units;
  }
  return std::min(at, text.size());
}

std::string path_of(std::string_view uri) {
  if (!uri.starts_with(scheme)) return std::string(uri);
  const std::string_view rest = uri.substr(scheme.size());
  std::string path;
  for (std::size_t at = 0; at < rest.size(); ++at) {
    unsigned code = 0;
    const bool is_escape =
        rest[at] == '%' && at + 2 < rest.size() &&
        std::from_chars(rest.data() + at + 1, rest.data() + at + 3, code, 16).ptr ==
            rest.data() + at + 3;
    path += is_escape ? static_cast<char>(code) : rest[at];
    if (is_escape) at += 2;
  }
  return path;
}

std::string uri_of(std::string_view path) {
  if (path.substr(0, path.find('/')).find(':') != std::string_view::npos) return std::string(path);
  std::string uri(scheme);
  for (const char c : path) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                          std::string_view("/-._~").find(c) != std::string_view::npos;
    char escape[8];
    std::snprintf(escape, sizeof escape, "%%%02X", static_cast<unsigned char>(c));
    uri += is_plain ? std::string(1, c) : std::string(escape);
  }
  return uri;
}

}  // namespace blockyard::lsp
