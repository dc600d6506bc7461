// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/geometry.h"

#include <fmt/format.h>

#include <set>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/qc/detail/words.h"
#include "blockyard/qc/element.h"

namespace blockyard::qc {
namespace {

using Words = std::vector<std::string_view>;

[[noreturn]] void refuse(std::size_t line, std::string_view message) {
  throw base::Error(base::Errc::bad_input, fmt::format("geometry, line {}: {}", line, message));
}

/// "O", "O1", "8", "Gh(O)", "Gh(O1)", "@O". Throws Error{bad_input}.
Atom parse_name(std::string_view word) {
  Atom atom;
  std::string_view name = word;
  if (base::lower(word).starts_with("gh(") && word.ends_with(')')) {
    atom.is_ghost = true;
    name = word.substr(3, word.size() - 4);
  } else if (word.starts_with('@')) {
    atom.is_ghost = true;
    name = word.substr(1);
  }
  const auto letters = name.find_last_not_of("0123456789") + 1;  // 0: a number only
  constexpr std::size_t most_digits = 6;
  if (letters > 0 && letters < name.size() && name.size() - letters <= most_digits) {
    atom.label = static_cast<int>(detail::parse_integer(name.substr(letters)).value_or(0));
    name = name.substr(0, letters);
  }
  atom.atomic_number = atomic_number(name);
  return atom;
}

Atom parse_atom(const Words& words, std::size_t line, LengthUnit unit) {
  if (words.size() != 4)
    refuse(line,
           fmt::format("expected a symbol and three coordinates, found {} words", words.size()));
  Atom atom;
  try {
    atom = parse_name(words[0]);
  } catch (const base::Error& error) {
    refuse(line, error.what());
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto value = detail::parse_real(words[axis + 1]);
    if (!value) refuse(line, fmt::format("'{}' is not a number", words[axis + 1]));
    atom.position_bohr[axis] = unit == LengthUnit::bohr ? *value : *value / angstrom_per_bohr;
  }
  return atom;
}

std::string_view without_comment(std::string_view line) { return line.substr(0, line.find('#')); }

/// The atoms of an XYZ file whose header is line `header` (counted from 0).
std::vector<Atom> parse_xyz(const std::vector<std::string_view>& lines, std::size_t header,
                            std::int64_t count, LengthUnit unit) {
  if (count < 1) refuse(header + 1, fmt::format("{} is not a number of atoms", count));
  std::vector<Atom> atoms;
  std::size_t line = header + 2;  // one comment line
  for (; std::ssize(atoms) < count; ++line) {
    if (line >= lines.size())
      refuse(header + 1, fmt::format("{} atoms promised, {} found", count, atoms.size()));
    atoms.push_back(parse_atom(detail::split_words(lines[line]), line + 1, unit));
  }
  for (; line < lines.size(); ++line)
    if (!detail::split_words(lines[line]).empty())
      refuse(line + 1,
             fmt::format("text after the {} atoms that line {} promised", count, header + 1));
  return atoms;
}

}  // namespace

LengthUnit parse_length_unit(std::string_view name) {
  const auto plain = base::lower(name);
  if (plain == "angstrom") return LengthUnit::angstrom;
  if (plain == "bohr") return LengthUnit::bohr;
  throw base::Error(base::Errc::bad_input,
                    fmt::format("'{}' is not a unit of length: use angstrom or bohr", name));
}

std::vector<Atom> parse_geometry(std::string_view text, LengthUnit unit) {
  const auto lines = detail::split_lines(text);
  std::vector<Atom> atoms;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const auto words = detail::split_words(without_comment(lines[line]));
    if (words.empty()) continue;
    if (atoms.empty() && words.size() == 1)
      if (const auto count = detail::parse_integer(words[0]))
        return parse_xyz(lines, line, *count, unit);
    atoms.push_back(parse_atom(words, line + 1, unit));
  }
  if (atoms.empty())
    throw base::Error(base::Errc::bad_input, "the geometry has no atoms: write `symbol x y z`");
  return atoms;
}

std::string with_variables(std::string_view text,
                           const std::map<std::string, double, std::less<>>& values) {
  std::set<std::string_view> unused;
  for (const auto& [name, value] : values) unused.insert(name);
  std::string result;
  for (const std::string_view line : detail::split_lines(text)) {
    const auto words = detail::split_words(without_comment(line));
    for (std::size_t k = 0; k < words.size(); ++k) {
      const bool is_negative = words[k].starts_with('-');
      const auto found = values.find(words[k].substr(is_negative ? 1 : 0));
      const bool is_variable = k > 0 && found != values.end();
      if (is_variable) unused.erase(found->first);
      result += k > 0 ? " " : "";
      result += is_variable ? fmt::format("{}", is_negative ? -found->second : found->second)
                            : std::string(words[k]);
    }
    result += '\n';
  }
  if (!unused.empty())
    throw base::Error(base::Errc::bad_input,
                      fmt::format("no line of the geometry uses {}", *unused.begin()));
  return result;
}

std::vector<Atom> read_geometry(const std::string& path, LengthUnit unit) {
  const auto text = detail::read_text_file(path, "geometry file");
  try {
    return parse_geometry(text, unit);
  } catch (const base::Error& error) {
    throw base::Error(error.code(), fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace blockyard::qc
