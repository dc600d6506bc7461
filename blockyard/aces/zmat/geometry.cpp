// SPDX-License-Identifier: Apache-2.0
#include "blockyard/aces/zmat/geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include "blockyard/aces/zmat/special_basis.h"
#include "blockyard/base/number.h"
#include "blockyard/base/text.h"
#include "blockyard/qc/element.h"
#include "blockyard/qc/z_matrix.h"

namespace blockyard::aces::zmat {
namespace {

using base::Errc;
using base::Error;

using Variables = std::map<std::string, double>;  ///< names in lower case

/// A number may have an exponent of Fortran: 1.5D0.
std::optional<double> number(std::string_view word) {
  const std::optional<double> value = base::parse_number(word);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

Variables read_variables(const Parts& parts) {
  Variables variables;
  for (const Line& line : parts.variables) {
    const std::size_t sign = line.text.find('=');
    const auto name = words_of(line.text.substr(0, sign));
    const auto value = words_of(sign == std::string::npos ? "" : line.text.substr(sign + 1));
    const auto read = value.empty() ? std::nullopt : number(value.front());
    if (name.size() != 1 || value.size() != 1 || !read)
      throw parts.error(line, "a variable is given as NAME = number");
    if (!variables.emplace(base::lower(name.front()), *read).second)
      throw parts.error(line, fmt::format("variable {} has a value already", name.front()));
  }
  return variables;
}

/// "O", "O1", "GH", "X": an element, that of the functions of a ghost, or, of a dummy, 0. `atoms`
/// stand before it, dummies not counted.
qc::Atom read_symbol(const Parts& parts, const Line& line, std::string symbol, std::size_t atoms) {
  while (!symbol.empty() && (std::isdigit(static_cast<unsigned char>(symbol.back())) != 0))
    symbol.pop_back();
  if (base::lower(symbol) == "x") return {};
  qc::Atom atom;
  atom.is_ghost = base::lower(symbol) == "gh";
  if (atom.is_ghost) symbol = element_of_ghost(parts, line, atoms);
  try {
    atom.atomic_number = qc::atomic_number(symbol);
  } catch (const Error& error) {
    throw parts.error(line, error.what());
  }
  return atom;
}

std::string cartesian(const Parts& parts) {
  std::string text;
  std::size_t atoms = 0;
  for (const Line& line : parts.atoms) {
    const auto words = words_of(line.text);
    const bool is_good =
        words.size() == 4 && number(words[1]) && number(words[2]) && number(words[3]);
    if (!is_good) throw parts.error(line, "a Cartesian atom is given as: symbol x y z");
    const qc::Atom atom = read_symbol(parts, line, words[0], atoms);
    if (atom.atomic_number == 0) continue;
    ++atoms;
    text += fmt::format("{} {} {} {}\n", name_of(atom), words[1], words[2], words[3]);
  }
  return text;
}

/// Reads the rows of a Z-matrix: symbol, then pairs of a row and a number or variable.
class RowReader {
 public:
  explicit RowReader(const Parts& parts) : parts_(parts), variables_(read_variables(parts)) {}

  /// `atoms` stand before it, dummies not counted.
  [[nodiscard]] qc::ZMatrixRow read(const Line& line, std::size_t number_of_row,
                                    std::size_t atoms) const {
    const auto words = words_of(line.text);
    const std::size_t pairs = std::min<std::size_t>(number_of_row, 3);
    if (words.size() != 1 + 2 * pairs)
      throw parts_.error(line, fmt::format("row {} of a Z-matrix has a symbol and {} pairs of a "
                                           "row and a value",
                                           number_of_row + 1, pairs));
    constexpr double degree = std::numbers::pi / 180;
    qc::ZMatrixRow row;
    const qc::Atom atom = read_symbol(parts_, line, words[0], atoms);
    row.atomic_number = atom.atomic_number;
    row.is_ghost = atom.is_ghost;
    if (pairs > 0) row.bond_to = reference(line, words[1]);
    if (pairs > 0) row.bond_bohr = value(line, words[2]);
    if (pairs > 1) row.angle_to = reference(line, words[3]);
    if (pairs > 1) row.angle_radians = degree * value(line, words[4]);
    if (pairs > 2) row.dihedral_to = reference(line, words[5]);
    if (pairs > 2) row.dihedral_radians = degree * value(line, words[6]);
    return row;
  }

 private:
  [[nodiscard]] int reference(const Line& line, const std::string& word) const {
    int row = 0;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), row);
    if (status != std::errc() || end != word.data() + word.size() || row < 1)
      throw parts_.error(line, fmt::format("\"{}\" is not the number of a row", word));
    return row - 1;
  }

  /// A number, or a variable; '-' before a variable turns its sign. '*' after it asks that it is
  /// optimised.
  [[nodiscard]] double value(const Line& line, std::string word) const {
    if (const auto read = number(word)) return *read;
    if (word.ends_with('*'))
      throw parts_.error(line, fmt::format("{} requests an optimised geometry, but geometries are "
                                           "not optimised: remove the star to compute this one",
                                           word));
    const bool is_negative = word.starts_with('-');
    const auto found = variables_.find(base::lower(word.substr(is_negative ? 1 : 0)));
    if (found == variables_.end())
      throw parts_.error(line, fmt::format("variable {} has no value: add a line {} = number after "
                                           "the atoms and a blank line",
                                           word, word));
    return is_negative ? -found->second : found->second;
  }

  const Parts& parts_;
  Variables variables_;
};

std::string internal(const Parts& parts, const std::string& units) {
  const double in_bohr = units == "bohr" ? 1 : 1 / qc::angstrom_per_bohr;
  const RowReader reader(parts);
  std::vector<qc::ZMatrixRow> rows;
  std::vector<qc::Atom> placed;
  for (const Line& line : parts.atoms) {
    const auto atoms =
        std::ranges::count_if(rows, [](const auto& row) { return row.atomic_number > 0; });
    rows.push_back(reader.read(line, rows.size(), static_cast<std::size_t>(atoms)));
    rows.back().bond_bohr *= in_bohr;
    try {  // after each row, for what is wrong with it has its line
      placed = qc::place_z_matrix(rows);
    } catch (const Error& error) {
      throw parts.error(line, error.what());
    }
  }
  std::string text;
  for (const qc::Atom& atom : placed)
    text +=
        fmt::format("{} {:.12f} {:.12f} {:.12f}\n", name_of(atom), atom.position_bohr[0] / in_bohr,
                    atom.position_bohr[1] / in_bohr, atom.position_bohr[2] / in_bohr);
  return text;
}

/// Whether the line is like a Cartesian atom.
bool is_atom(const std::string& text) {
  const auto words = words_of(text);
  return words.size() == 4 && words[0].size() < 5 && number(words[1]) && number(words[2]) &&
         number(words[3]);
}

}  // namespace

std::string read_geometry(const Parts& parts, const std::string& units) {
  if (is_atom(parts.title))
    throw base::Error(Errc::bad_input,
                      fmt::format("{}: the first line is the title, but \"{}\" looks like an atom: "
                                  "put a title above it",
                                  parts.path, parts.title));
  if (words_of(parts.atoms.front().text).size() == 1) return internal(parts, units);
  if (!parts.variables.empty())
    throw parts.error(parts.variables.front(),
                      "text after Cartesian atoms: keywords begin with *ACES2(");
  return cartesian(parts);
}

}  // namespace blockyard::aces::zmat
