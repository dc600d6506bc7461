// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace blockyard::base {

/// The value with this many digits after the point, never "-0.000".
[[nodiscard]] std::string decimal(double value, int digits);

}  // namespace blockyard::base
