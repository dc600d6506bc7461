// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "blockyard/base/error.h"
#include "blockyard/qc/basis_set.h"
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
    refuse(fmt::format("there is no list \"{}\"", key));
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

std::vector<Contraction> read_shell(const Json& shell) {
  std::vector<int> momenta;
  for (const Json& momentum : list(shell, "angular_momentum")) {
    if (!momentum.is_number_integer() || momentum.get<int>() < 0)
      refuse(fmt::format("{} is not an angular momentum", momentum.dump()));
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
  if (!z || *z < 1 || *z > heaviest_element) refuse(fmt::format("\"{}\" is no element", key));
  return static_cast<int>(*z);
}

void read_element(const Json& element, std::vector<Contraction>& into) {
  if (element.is_object() && element.contains("ecp_potentials"))
    refuse("effective core potentials are not supported");
  for (const Json& shell : list(element, "electron_shells"))
    for (Contraction& contraction : read_shell(shell)) into.push_back(std::move(contraction));
}

}  // namespace

BasisSet parse_json_basis(std::string_view text, std::string_view name) {
  BasisSet basis{std::string(name), {}};
  const Json top = Json::parse(text, nullptr, false);
  if (top.is_discarded()) refuse(fmt::format("basis set {}: this is not JSON", name));
  const auto elements = top.is_object() ? top.find("elements") : top.end();
  if (!top.is_object() || elements == top.end() || !elements->is_object() || elements->empty())
    refuse(fmt::format("basis set {}: there is no object \"elements\"", name));
  for (const auto& [key, element] : elements->items()) try {
      read_element(element, basis.elements[element_of(key)]);
    } catch (const base::Error& error) {
      refuse(fmt::format("basis set {}, element {}: {}", name, key, error.what()));
    }
  return basis;
}

}  // namespace blockyard::qc
