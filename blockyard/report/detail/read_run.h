// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace blockyard::report::detail {

/// Reads what `blockyard run --report` wrote. Throws Error{bad_input} that names `path`.
[[nodiscard]] nlohmann::ordered_json read_run(std::string_view json, std::string_view path);

}  // namespace blockyard::report::detail
