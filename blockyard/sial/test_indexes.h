// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace blockyard::sial {

/// The indexes of programs of tests, then `more` declarations.
inline std::string with_indexes(std::string_view more) {
  return "\naoindex i = 1:2\naoindex j = 1:2\naoindex k = 1:2\nindex s = 1:3" + std::string(more);
}

}  // namespace blockyard::sial
