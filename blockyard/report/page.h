// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace blockyard::report {

/// One self-contained HTML page of the JSON that `blockyard run --report`, `blockyard accumulate
/// --report`, `blockyard offload run --report` or a program of Global Arrays (BLOCKYARD_GA_REPORT)
/// wrote. Throws Error{bad_input} that names `path` for any other text.
[[nodiscard]] std::string page_of(std::string_view json, std::string_view path);

}  // namespace blockyard::report
