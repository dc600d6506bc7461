// SPDX-License-Identifier: Apache-2.0
#include "blockyard/input/detail/toml_arrays.h"

#include <fmt/format.h>

#include "blockyard/base/text.h"
#include "blockyard/input/element_count.h"
#include "blockyard/input/toml_section.h"

namespace blockyard::input::detail {

using base::Extent;

namespace {

const toml::array* list_of(const toml::node& node, std::string_view key) {
  return node.is_table() ? node.as_table()->get_as<toml::array>(key) : nullptr;
}

worker::DenseArray read_array(const toml::node& node, std::string_view name,
                              const std::string& path) {
  const auto check = [&](bool is_good, const toml::node& where, std::string_view what) {
    if (!is_good) throw error_at(path, where, fmt::format("arrays.{}: {}", name, what));
  };
  if (node.is_table())
    for (const auto& [key, unused] : *node.as_table())
      check(key == "extents" || key == "values" || key == "type", node,
            fmt::format("unknown key \"{}\"; known are extents, values and type", key.str()));
  const toml::array* const extents = list_of(node, "extents");
  const toml::array* const values = list_of(node, "values");
  check(extents != nullptr && values != nullptr, node,
        "must be { extents = [2, 3], values = [...] }");
  constexpr std::string_view counts = "there must be as many values as the extents say";
  worker::DenseArray array;
  for (const toml::node& extent : *extents) {
    array.extents.push_back(extent.value_exact<std::int64_t>().value_or(-1));
    check(array.extents.back() >= 0, extent, "an extent must be an integer, at least 0");
  }
  check(has_elements(array.extents, std::ssize(*values)), node, counts);
  for (const toml::node& element : *values) {
    check(element.is_number(), element, "a value must be a number");
    array.values.push_back(element.value<double>().value_or(0));
  }
  return array;
}

/// Whether `type` says "int".
bool has_ints(const toml::node& node, std::string_view name, const std::string& path) {
  const toml::node* const type = node.as_table()->get("type");
  if (type == nullptr) return false;
  const auto word = type->value_exact<std::string>().value_or("");
  if (word != "int" && word != "scalar")
    throw error_at(path, *type, fmt::format("arrays.{}: type is \"int\" or \"scalar\"", name));
  return word == "int";
}

}  // namespace

void read_dense_arrays(const toml::node& node, const std::string& path, Spec& spec) {
  if (!node.is_table()) throw error_at(path, node, "arrays must be a table: [arrays]");
  for (const auto& [key, value] : *node.as_table()) {
    const std::string name = base::lower(key.str());
    spec.arrays[name] = read_array(value, key.str(), path);
    if (has_ints(value, key.str(), path)) spec.int_arrays.insert(name);
  }
}

}  // namespace blockyard::input::detail
