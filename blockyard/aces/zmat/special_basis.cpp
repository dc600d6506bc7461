// SPDX-License-Identifier: Apache-2.0
#include "blockyard/aces/zmat/special_basis.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "blockyard/base/text.h"

namespace blockyard::aces::zmat {
namespace {

/// A line ATOM:NAME.
struct Entry {
  Line line;
  std::string atom;  ///< lower case
  std::string name;  ///< lower case
};

Entry read_entry(const Parts& parts, const Line& line) {
  const std::string text = base::lower(line.text);
  const std::size_t colon = text.find(':');
  const auto atom = words_of(text.substr(0, colon));
  const auto name = words_of(colon == std::string::npos ? "" : text.substr(colon + 1));
  if (atom.size() != 1 || name.size() != 1)
    throw parts.error(line, "a basis set or potential is given as ATOM:NAME");
  return {line, atom.front(), name.front()};
}

/// Symbols of the atoms in lower case, without dummies and numbers.
std::vector<std::string> symbols_of(const Parts& parts) {
  std::vector<std::string> symbols;
  for (const Line& line : parts.atoms) {
    std::string symbol = base::lower(words_of(line.text).front());
    while (!symbol.empty() && std::isdigit(static_cast<unsigned char>(symbol.back())) != 0)
      symbol.pop_back();
    if (symbol != "x") symbols.push_back(symbol);
  }
  return symbols;
}

/// One list: a name for each atom, whose element the lines must repeat.
std::vector<std::string> names_of(const Parts& parts, std::span<const Entry> list,
                                  const std::vector<std::string>& symbols) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (symbols[k] != "gh" && list[k].atom != symbols[k])
      throw parts.error(list[k].line,
                        fmt::format("atom {} is {}: the lines ATOM:NAME come in the order of the "
                                    "atoms, without the dummies",
                                    k + 1, symbols[k]));
    names.push_back(list[k].name);
  }
  return names;
}

/// The name that all share goes to `usual`, else each to its atom by `field`.
template <class Field>
void put_names(const std::vector<std::string>& names, std::string& usual, Field field,
               input::BasisSpec& basis) {
  if (std::ranges::count(names, names.front()) == std::ssize(names)) {
    usual = names.front();
    return;
  }
  for (std::size_t k = 0; k < names.size(); ++k)
    field(basis.atoms[std::to_string(k + 1)]) = names[k];
}

}  // namespace

std::string full_basis_name(const std::string& name) {
  const std::string augmented = "aug-";
  const bool is_augmented = name.starts_with(augmented);
  const std::string rest = is_augmented ? name.substr(augmented.size()) : name;
  const bool is_short = rest.size() == 4 && rest.starts_with("pv") && rest.ends_with('z');
  return is_short ? (is_augmented ? augmented : "") + "cc-" + rest : name;
}

std::string element_of_ghost(const Parts& parts, const Line& ghost, std::size_t atom) {
  if (atom >= parts.basis.size())
    throw parts.error(ghost,
                      "a ghost atom GH has the functions of an element: add BASIS=SPECIAL and, "
                      "after the keywords, a line ELEMENT:BASIS for each atom");
  return read_entry(parts, parts.basis[atom]).atom;
}

void apply_special_basis(const Parts& parts, bool has_cores, ZmatJob& job) {
  std::vector<Entry> entries;
  for (const Line& line : parts.basis) entries.push_back(read_entry(parts, line));
  const std::vector<std::string> symbols = symbols_of(parts);
  input::BasisSpec& basis = job.spec.basis;
  const std::size_t atoms = symbols.size();
  const std::size_t sets = basis.name.empty() ? atoms : 0;
  const bool has_one_name = !has_cores && std::ranges::all_of(entries, [&](const Entry& entry) {
    return entry.name == entries.front().name;
  });
  if (has_one_name && basis.name.empty()) {  // then the number of lines does not matter
    basis.name = full_basis_name(entries.front().name);
    return;
  }
  if (entries.size() != sets && !(has_cores && entries.size() == sets + atoms))
    throw parts.error(entries.front().line,
                      fmt::format("there are {} lines ATOM:NAME for {} atoms: each atom has one "
                                  "for its basis set (BASIS=SPECIAL), and with ECP=ON one more "
                                  "for its effective core potential, or ATOM:NONE",
                                  entries.size(), atoms));
  if (sets > 0) {
    auto names = names_of(parts, std::span(entries).first(sets), symbols);
    for (std::string& name : names) name = full_basis_name(name);
    put_names(
        names, basis.name, [](input::AtomBasisSpec& atom) -> std::string& { return atom.set.name; },
        basis);
  }
  if (entries.size() > sets)
    put_names(
        names_of(parts, std::span(entries).subspan(sets), symbols), basis.ecp,
        [](input::AtomBasisSpec& atom) -> std::string& { return atom.ecp; }, basis);
}

}  // namespace blockyard::aces::zmat
