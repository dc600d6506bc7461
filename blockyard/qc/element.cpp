// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/element.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/qc/detail/words.h"

namespace blockyard::qc {
namespace {

constexpr std::array<std::string_view, heaviest_element> symbols = {
    "H",  "He", "Li", "Be", "B",  "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al", "Si", "P",
    "S",  "Cl", "Ar", "K",  "Ca", "Sc", "Ti", "V",  "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn",
    "Ga", "Ge", "As", "Se", "Br", "Kr", "Rb", "Sr", "Y",  "Zr", "Nb", "Mo", "Tc", "Ru", "Rh",
    "Pd", "Ag", "Cd", "In", "Sn", "Sb", "Te", "I",  "Xe", "Cs", "Ba", "La", "Ce", "Pr", "Nd",
    "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho", "Er", "Tm", "Yb", "Lu", "Hf", "Ta", "W",  "Re",
    "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "Po", "At", "Rn"};

constexpr std::array<std::string_view, last_element - heaviest_element> heavier_symbols = {
    "Fr", "Ra", "Ac", "Th", "Pa", "U",  "Np", "Pu", "Am", "Cm", "Bk", "Cf", "Es", "Fm", "Md", "No",
    "Lr", "Rf", "Db", "Sg", "Bh", "Hs", "Mt", "Ds", "Rg", "Cn", "Nh", "Fl", "Mc", "Lv", "Ts", "Og"};

/// The position of a symbol in any letter case, or that of the end.
std::size_t position(std::span<const std::string_view> known, std::string_view symbol) {
  const auto wanted = base::lower(symbol);
  const auto found =
      std::ranges::find_if(known, [&](auto other) { return base::lower(other) == wanted; });
  return static_cast<std::size_t>(found - known.begin());
}

/// What to write for a symbol, in lower case, that other programs know; else empty.
std::string_view hint_for(std::string_view symbol) {
  if (symbol == "x" || symbol == "xx") return "leave out dummy atoms";
  if (symbol == "bq") return "a ghost atom with the functions of helium is Gh(He)";
  if (symbol == "d" || symbol == "t") return "write H: energies do not depend on the isotope";
  return "";
}

}  // namespace

std::string_view element_symbol(int atomic_number) {
  base::require(atomic_number >= 1 && atomic_number <= heaviest_element,
                "an atomic number lies in 1 .. heaviest_element");
  return symbols[static_cast<std::size_t>(atomic_number - 1)];
}

std::optional<int> find_element(std::string_view symbol) {
  const std::size_t found = position(symbols, symbol);
  return found == symbols.size() ? std::nullopt : std::optional(static_cast<int>(found) + 1);
}

int atomic_number(std::string_view symbol) {
  if (const auto found = find_element(symbol)) return *found;
  if (const auto number = detail::parse_integer(symbol);
      number && *number >= 1 && *number <= heaviest_element)
    return static_cast<int>(*number);
  if (position(heavier_symbols, symbol) < heavier_symbols.size())
    throw base::Error(base::Errc::bad_input,
                      fmt::format("'{}' is beyond {}, the heaviest element that is known here",
                                  symbol, symbols.back()));
  if (const auto hint = hint_for(base::lower(symbol)); !hint.empty())
    throw base::Error(base::Errc::bad_input,
                      fmt::format("'{}' is not an element; {}", symbol, hint));
  const std::vector<std::string> known(symbols.begin(), symbols.end());
  const auto nearest = base::nearest_name(symbol, known);
  const auto hint = nearest.empty() ? std::string("write a symbol such as C, or its number")
                                    : fmt::format("did you mean '{}'?", nearest);
  throw base::Error(base::Errc::bad_input, fmt::format("'{}' is not an element; {}", symbol, hint));
}

int any_atomic_number(std::string_view symbol) {
  const std::size_t found = position(heavier_symbols, symbol);
  return found == heavier_symbols.size() ? atomic_number(symbol)
                                         : heaviest_element + static_cast<int>(found) + 1;
}

int core_orbitals(int atomic_number) {
  if (atomic_number <= 2) return 0;
  if (atomic_number <= 10) return 1;
  if (atomic_number <= 18) return 5;
  if (atomic_number <= 36) return 9;
  if (atomic_number <= 54) return 18;
  return 27;
}

}  // namespace blockyard::qc
