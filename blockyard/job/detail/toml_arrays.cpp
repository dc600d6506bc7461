// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/detail/toml_arrays.h"

#include <fmt/format.h>

#include <algorithm>

#include "blockyard/base/text.h"
#include "blockyard/job/detail/toml_section.h"

namespace blockyard::job::detail {

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
  const toml::array* const extents = list_of(node, "extents");
  const toml::array* const values = list_of(node, "values");
  check(extents != nullptr && values != nullptr, node,
        "must be { extents = [2, 3], values = [...] }");
  constexpr std::string_view counts = "there must be as many values as the extents say";
  worker::DenseArray array;
  Extent count = 1;
  for (const toml::node& extent : *extents) {
    const Extent number = extent.value_exact<std::int64_t>().value_or(0);
    check(number > 0 && number <= std::ssize(*values), extent, counts);
    array.extents.push_back(number);
    count = std::min(count * number, std::ssize(*values) + 1);
  }
  check(count == std::ssize(*values), node, counts);
  for (const toml::node& element : *values) {
    check(element.is_number(), element, "a value must be a number");
    array.values.push_back(element.value<double>().value_or(0));
  }
  return array;
}

}  // namespace

std::map<std::string, worker::DenseArray, std::less<>> read_dense_arrays(const toml::node& node,
                                                                         const std::string& path) {
  if (!node.is_table()) throw error_at(path, node, "arrays must be a table: [arrays]");
  std::map<std::string, worker::DenseArray, std::less<>> arrays;
  for (const auto& [key, value] : *node.as_table())
    arrays[base::lower(key.str())] = read_array(value, key.str(), path);
  return arrays;
}

}  // namespace blockyard::job::detail
