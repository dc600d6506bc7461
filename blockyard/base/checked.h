// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "blockyard/base/integer.h"

/// Arithmetic on counts of any size, without overflow.
namespace blockyard::base {

/// a / b, rounded up. REQUIRES: a >= 0, b > 0.
[[nodiscard]] constexpr Extent divided_up(Extent a, Extent b) noexcept {
  return a == 0 ? 0 : (a - 1) / b + 1;
}

/// a b; nothing if that is no Extent.
[[nodiscard]] inline std::optional<Extent> product(Extent a, Extent b) noexcept {
  Extent result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

}  // namespace blockyard::base
