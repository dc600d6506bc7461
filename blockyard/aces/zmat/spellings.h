// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace blockyard::aces::zmat {

/// Keywords in other spellings than the usual one, and the usual one. Lower case.
[[nodiscard]] const std::map<std::string, std::string>& other_spellings();

}  // namespace blockyard::aces::zmat
