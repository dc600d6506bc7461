// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "blockyard/base/metric.h"

namespace blockyard::report::detail {

/// The numbers by their names.
template <class Counts>
[[nodiscard]] nlohmann::ordered_json counts_json(std::span<const base::Metric<Counts>> rows,
                                                 const Counts& counts) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  base::for_each_metric(rows, counts,
                        [&](const auto& row, const auto number) { json[row.name] = number; });
  return json;
}

/// What the numbers mean, for the page.
template <class Counts>
[[nodiscard]] nlohmann::ordered_json meanings_json(std::span<const base::Metric<Counts>> rows) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const base::Metric<Counts>& row : rows)
    json[row.name] = {
        {"unit", name_of(row.unit)}, {"merge", name_of(row.merge)}, {"meaning", row.meaning}};
  return json;
}

}  // namespace blockyard::report::detail
