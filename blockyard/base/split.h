// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace blockyard::base {

/// The parts of a text between separators, empty ones too: one more than there are separators.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

/// The same, but what stands between brackets, round, square or curly, stays together.
[[nodiscard]] std::vector<std::string> split_outside_brackets(std::string_view text,
                                                              char separator);

}  // namespace blockyard::base
