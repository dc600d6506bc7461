// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace blockyard::report::detail {

/// Whether this is what a program of Global Arrays wrote for BLOCKYARD_GA_REPORT.
[[nodiscard]] bool is_ga_report(const nlohmann::ordered_json& report);

/// The page of it. Throws Error{bad_input} that names `path` if something is missing.
[[nodiscard]] std::string ga_page(const nlohmann::ordered_json& report, std::string_view path);

}  // namespace blockyard::report::detail
