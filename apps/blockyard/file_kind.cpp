// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/file_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/sial/lex.h"

namespace blockyard::app {

namespace {

/// A program says `sial NAME` within this many bytes, after its comments and imports.
constexpr std::size_t looked_at_bytes = 1 << 16;

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

bool is_number(const std::string& word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isdigit(c) != 0 || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
  });
}

std::string describe_binary(std::string_view begin) {
  if (begin.starts_with("\x89HDF"))
    return "an HDF5 file: what a job keeps is given with --guess or --persistent";
  if (begin.starts_with("\x7f"
                        "ELF"))
    return "a compiled library or program: super instructions are given with --super";
  if (begin.starts_with("\x1f\x8b") || begin.starts_with("PK")) return "a compressed file";
  if (begin.find('\0') != begin.npos) return "a binary file";
  return "";
}

/// Of a text without the line `sial NAME`.
std::string describe_text(const std::vector<std::vector<std::string>>& lines) {
  if (lines.empty()) return "an empty file";
  const auto begins = [&](auto... words) {
    return std::ranges::any_of(lines, [&](const auto& line) {
      return !line.empty() && (base::lower(line[0]).starts_with(words) || ...);
    });
  };
  if (begins("[molecule]", "[method]", "[basis]"))
    return "a job file, whose name must end in .toml";
  if (lines[0].size() == 1 && is_number(lines[0][0]) && lines.size() > 2 && lines[2].size() == 4)
    return "a geometry, whose name must end in .xyz";
  if (lines[0][0].starts_with('{') || lines[0][0].starts_with('['))
    return "JSON: blockyard report makes a page of what --report wrote";
  if (begins("basis", "****")) return "a basis set: [basis] file = \"...\" in a job file";
  if (begins("*aces2", "*cfour"))
    return "an input of ACES or CFOUR, whose name must be ZMAT or begin with ZMAT";
  return "text without the line `sial NAME` that begins a program";
}

}  // namespace

void check_is_program(const std::string& path) {
  const auto refuse = [&](std::string_view what) {
    throw base::Error(base::Errc::bad_input,
                      fmt::format("{} is neither a SIAL program nor a job: it is {}", path, what));
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    refuse("a folder (blockyard resume continues from a folder of checkpoints)");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string begin(looked_at_bytes, '\0');
  if (in) in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (!in && !in.eof())
    throw base::Error(base::Errc::io, fmt::format("cannot read {}: {}", path, strerror(errno)));
  const bool is_whole = in.eof();
  begin.resize(static_cast<std::size_t>(in.gcount()));
  if (const std::string binary = describe_binary(begin); !binary.empty()) refuse(binary);
  if (begin.starts_with(sial::byte_order_mark)) begin.erase(0, sial::byte_order_mark.size());
  std::istringstream text(begin);
  std::vector<std::vector<std::string>> lines;
  for (std::string line; std::getline(text, line);) {
    lines.push_back(words_of(line));
    if (lines.back().empty()) continue;
    if (base::lower(lines.back()[0]) == "sial") return;
    if (lines.back()[0].starts_with("```"))
      refuse("Markdown: copy the program or job that it shows into a file of its own");
  }
  while (!lines.empty() && lines.front().empty()) lines.erase(lines.begin());
  if (is_whole) refuse(describe_text(lines));
}

}  // namespace blockyard::app
