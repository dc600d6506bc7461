// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "blockyard/base/error.h"
#include "blockyard/base/json.h"
#include "blockyard/qc/basis_set.h"
#include "blockyard/qc/detail/core_reader.h"
#include "blockyard/qc/detail/shell_letters.h"
#include "blockyard/qc/detail/words.h"
#include "blockyard/qc/element.h"

namespace blockyard::qc {
namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& message) {
  throw base::Error(base::Errc::bad_input, message);
}

/// The list under a key. Throws if there is none.
const Json& list(const Json& from, const char* key) {
  const auto found = from.is_object() ? from.find(key) : from.end();
  if (!from.is_object() || found == from.end() || !found->is_array())
    refuse(fmt::format("the list \"{}\" is missing", key));
  return *found;
}

/// The exchange writes its numbers as texts, so as not to lose digits.
double number(const Json& value) {
  if (value.is_number()) return value.get<double>();
  const auto read =
      value.is_string() ? detail::parse_real(value.get_ref<const std::string&>()) : std::nullopt;
  if (!read) refuse(fmt::format("{} is not a number", value.dump()));
  return *read;
}

/// Whether it is an integer from 0 to what an int holds.
bool is_count(const Json& value) {
  return value.is_number_unsigned() &&
         value.get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<int>::max()};
}

std::vector<Contraction> read_shell(const Json& shell) {
  std::vector<int> momenta;
  for (const Json& momentum : list(shell, "angular_momentum")) {
    if (!is_count(momentum)) refuse(fmt::format("{} is not an angular momentum", momentum.dump()));
    momenta.push_back(momentum.get<int>());
  }
  if (momenta.empty()) refuse("a shell without angular momentum");
  const Json& exponents = list(shell, "exponents");
  const Json& columns = list(shell, "coefficients");
  std::vector<detail::PrimitiveRow> rows;
  for (std::size_t p = 0; p < exponents.size(); ++p) {
    rows.push_back({number(exponents[p])});
    if (rows.back()[0] <= 0) refuse(fmt::format("the exponent {} is not positive", rows.back()[0]));
    for (const Json& column : columns) {
      if (!column.is_array() || column.size() != exponents.size())
        refuse(fmt::format("a contraction needs {} coefficients", exponents.size()));
      rows.back().push_back(number(column[p]));
    }
  }
  return detail::segment_contractions(momenta, rows);
}

int element_of(const std::string& key) {
  const auto z = detail::parse_integer(key);
  if (!z || *z < 1 || *z > last_element) refuse(fmt::format("\"{}\" is not an element", key));
  return static_cast<int>(*z);
}

RadialPotential read_potential(const Json& potential) {
  const Json& momenta = list(potential, "angular_momentum");
  const Json& powers = list(potential, "r_exponents");
  const Json& exponents = list(potential, "gaussian_exponents");
  const Json& columns = list(potential, "coefficients");
  if (momenta.size() != 1 || !is_count(momenta[0]) || columns.size() != 1 ||
      !columns[0].is_array() || columns[0].size() != exponents.size() ||
      powers.size() != exponents.size())
    refuse(
        "a potential has one angular momentum and for each term a power, an exponent and a "
        "coefficient");
  RadialPotential part{momenta[0].get<int>(), {}, {}, {}};
  for (std::size_t k = 0; k < powers.size(); ++k)
    detail::add_term(fmt::format("{}", powers[k].dump()), fmt::format("{}", number(exponents[k])),
                     fmt::format("{}", number(columns[0][k])), part);
  return part;
}

/// The local potential, of the highest angular momentum, may stand anywhere.
EffectiveCore read_core(int z, const Json& element) {
  const auto electrons = element.find("ecp_electrons");
  if (electrons == element.end() || !is_count(*electrons))
    refuse("\"ecp_potentials\" without \"ecp_electrons\"");
  std::vector<RadialPotential> parts;
  for (const Json& potential : list(element, "ecp_potentials"))
    parts.push_back(read_potential(potential));
  std::ranges::stable_sort(parts, std::greater<>(), &RadialPotential::angular_momentum);
  EffectiveCore core{electrons->get<int>(), {}};
  for (RadialPotential& part : parts) detail::add_part(std::move(part), core.parts.empty(), core);
  if (core.parts.size() > 1) std::reverse(core.parts.begin() + 1, core.parts.end());
  detail::check_core(z, core);
  return core;
}

/// The text as JSON. Throws if it is none, and for an element with two entries: under one key the
/// library would keep the last, under two ("1" and "01") their functions would be added up.
Json parse(std::string_view text) {
  std::string member;
  std::set<std::int64_t> elements;
  const auto look = [&](int depth, Json::parse_event_t event, const Json& parsed) {
    if (event != Json::parse_event_t::key || depth > 2) return true;
    const auto& key = parsed.get_ref<const std::string&>();
    if (depth == 1) member = key;
    const auto z = depth == 2 && member == "elements" ? detail::parse_integer(key) : std::nullopt;
    if (z && !elements.insert(*z).second) refuse(fmt::format("element {} is there twice", *z));
    return true;
  };
  Json top = base::parse_shallow<Json>(text, look);
  if (top.is_discarded()) refuse("this is not JSON");
  return top;
}

bool is_cartesian(const Json& shell) {
  const auto type = shell.find("function_type");
  return type != shell.end() && *type == "gto_cartesian";
}

void read_element(int z, const Json& element, BasisSet& into) {
  const bool has_core = element.is_object() && element.contains("ecp_potentials");
  if (has_core) into.cores[z] = read_core(z, element);
  if (has_core && !element.contains("electron_shells")) return;
  for (const Json& shell : list(element, "electron_shells")) {
    detail::add_shell(read_shell(shell), into.elements[z]);
    into.says_cartesian = into.says_cartesian || is_cartesian(shell);
  }
}

}  // namespace

BasisSet parse_json_basis(std::string_view text, std::string_view name) {
  BasisSet basis{std::string(name), {}};
  const Json top = [&] {
    try {
      return parse(text);
    } catch (const base::Error& error) {
      refuse(fmt::format("basis set {}: {}", name, error.what()));
    }
  }();
  const auto elements = top.is_object() ? top.find("elements") : top.end();
  if (!top.is_object() || elements == top.end() || !elements->is_object() || elements->empty())
    refuse(fmt::format("basis set {}: the object \"elements\" is missing", name));
  for (const auto& [key, element] : elements->items()) try {
      if (const int z = element_of(key); z <= heaviest_element) read_element(z, element, basis);
    } catch (const base::Error& error) {
      refuse(fmt::format("basis set {}, element {}: {}", name, key, error.what()));
    }
  return basis;
}

}  // namespace blockyard::qc
