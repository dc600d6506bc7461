// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace blockyard::base {

/// The real number that is the whole of `word`, in any locale: -1.5, +2, .5E-3, 1.0D+02 (Fortran),
/// nan, inf. None for anything else, and for numbers that a double does not hold.
[[nodiscard]] std::optional<double> parse_number(std::string_view word);

}  // namespace blockyard::base
