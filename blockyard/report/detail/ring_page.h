// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace blockyard::report::detail {

/// Whether this is what a run over rings wrote for --report.
[[nodiscard]] bool is_ring_report(const nlohmann::ordered_json& report);

/// The page of it. Throws Error{bad_input} that names `path` if something is missing.
[[nodiscard]] std::string ring_page(const nlohmann::ordered_json& report, std::string_view path);

}  // namespace blockyard::report::detail
