// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace blockyard::super::detail {

/// What stands between blanks.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);

}  // namespace blockyard::super::detail
