// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace blockyard::report::detail {

/// Of what is no JSON, a discarded value. Throws Error{bad_input} if values are nested so deeply
/// that walking through them might not end well.
[[nodiscard]] nlohmann::ordered_json parse_shallow(std::string_view json, std::string_view path);

/// Throws Error{bad_input} that names `path` unless this is what `blockyard run --report` writes of
/// programs.
void check_run(const nlohmann::ordered_json& run, std::string_view path);

}  // namespace blockyard::report::detail
