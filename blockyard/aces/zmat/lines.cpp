// SPDX-License-Identifier: Apache-2.0
#include "blockyard/aces/zmat/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "blockyard/base/text.h"
#include "blockyard/qc/element.h"

namespace blockyard::aces::zmat {

using base::Errc;
using base::Error;

namespace {

constexpr std::string_view blanks = " \t\r";

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(blanks) + 1 - begin));
}

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  std::istringstream in{std::string(text)};
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    const bool is_comment =
        line.find_first_not_of(blanks) == line.find('#') && line.find('#') != std::string::npos;
    if (is_comment) continue;  // a line of comment is none, not a blank one
    lines.push_back({number, trimmed(std::string_view(line).substr(0, line.find('#')))});
  }
  return lines;
}

bool begins_section(const Line& line, std::string_view name) {
  return base::lower(line.text).starts_with(name);
}

bool begins_keywords(const Line& line) {
  constexpr std::array names = {"*aces2", "*cfour", "*aces3", "*craps"};
  return std::ranges::any_of(names, [&](const char* name) { return begins_section(line, name); });
}

}  // namespace

Error Parts::error(const Line& line, std::string_view what) const {
  return {Errc::bad_input, fmt::format("{}:{}: {}", path, line.number, what)};
}

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

namespace {

/// "O", or "O 0.0 0.0 0.1": what no title says.
bool is_atom(const std::string& text) {
  const auto words = words_of(text);
  const auto is_number = [](const std::string& word) {
    return word.find_first_not_of("+-.0123456789") == std::string::npos;
  };
  const bool is_symbol = !words.empty() && words.front().size() <= 2 &&
                         (base::lower(words.front()) == "x" || qc::find_element(words.front()));
  return is_symbol && (words.size() == 1 || (words.size() == 4 && is_number(words[1]) &&
                                             is_number(words[2]) && is_number(words[3])));
}

using Iterator = std::vector<Line>::const_iterator;

/// The text between the brackets of the keywords, or without brackets up to the next blank line.
Iterator take_keywords(Iterator line, Iterator end, Parts& parts) {
  const Line first = *line;
  std::size_t begin = first.text.find_first_not_of(blanks, first.text.find_first_of("( \t"));
  const bool has_bracket = begin != std::string::npos && first.text[begin] == '(';
  if (has_bracket) ++begin;
  Line rest{first.number, begin == std::string::npos ? "" : first.text.substr(begin)};
  for (;;) {
    const std::size_t close = rest.text.rfind(')');
    // A bracket inside of a value, as in CALC=CCSD(T), is closed on its own.
    const auto opened = std::count(rest.text.begin(), rest.text.end(), '(');
    const auto closed = std::count(rest.text.begin(), rest.text.end(), ')');
    const bool is_last = has_bracket && closed > opened;
    if (is_last) rest.text.resize(close);
    if (!rest.text.empty()) parts.keywords.push_back(rest);
    ++line;
    if (is_last || (!has_bracket && (line == end || line->text.empty()))) return line;
    if (line == end)
      throw parts.error(
          first, "the bracket of the keywords is not closed: write ')' after the last of them");
    rest = *line;
  }
}

}  // namespace

Parts split_parts(std::string_view text, const std::string& path) {
  const std::vector<Line> lines = lines_of(text);
  Parts parts;
  parts.path = path;
  auto line = lines.begin();
  const auto skip_blank = [&] {
    while (line != lines.end() && line->text.empty()) ++line;
  };
  const auto is_star = [&] { return line->text.starts_with('*'); };
  const auto take_section = [&](std::vector<Line>& section) {
    for (++line; line != lines.end() && !is_star(); ++line)
      if (!line->text.empty()) section.push_back(*line);
  };
  skip_blank();
  const bool is_untitled = line != lines.begin() && line != lines.end() && is_atom(line->text);
  if (line != lines.end() && !is_untitled) parts.title = (line++)->text;
  skip_blank();
  for (; line != lines.end() && !line->text.empty() && !is_star(); ++line)
    parts.atoms.push_back(*line);
  for (; line != lines.end() && !is_star(); ++line)
    if (!line->text.empty()) parts.variables.push_back(*line);
  for (; line != lines.end(); skip_blank()) {
    if (begins_keywords(*line)) {
      line = take_keywords(line, lines.end(), parts);
      for (; line != lines.end() && !is_star(); ++line)
        if (!line->text.empty()) parts.basis.push_back(*line);
    } else if (begins_section(*line, "*sip")) {
      take_section(parts.sip);
    } else if (begins_section(*line, "*fraglist")) {
      take_section(parts.fragments);
    } else if (begins_section(*line, "*end")) {
      ++line;
    } else {
      throw parts.error(*line, "an unknown section; there are *ACES2( ), *SIP and *FRAGLIST");
    }
  }
  if (parts.atoms.empty())
    throw Error(Errc::bad_input, path + ": a ZMAT has a title line and then the atoms");
  if (parts.keywords.empty())
    throw Error(Errc::bad_input, path + ": there are no keywords: *ACES2(CALC=CCSD,BASIS=CC-PVDZ)");
  return parts;
}

}  // namespace blockyard::aces::zmat
