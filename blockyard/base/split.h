// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace blockyard::base {

/// The parts of a text between separators, empty ones too: one more than there are separators.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

}  // namespace blockyard::base
