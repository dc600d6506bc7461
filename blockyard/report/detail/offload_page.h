// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace blockyard::report::detail {

/// Whether this is what `blockyard offload run --report` wrote.
[[nodiscard]] bool is_offload_report(const nlohmann::ordered_json& report);

/// The page of it. Throws Error{bad_input} that names `path` if something is missing.
[[nodiscard]] std::string offload_page(const nlohmann::ordered_json& report, std::string_view path);

}  // namespace blockyard::report::detail
