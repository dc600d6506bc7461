// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace blockyard::ga {

/// The counting convention of a caller.
struct Tongue {
  bool is_fortran = false;
  int integer_bytes = 4;  ///< of a Fortran INTEGER in the library that was called

  [[nodiscard]] std::int64_t first() const noexcept { return is_fortran ? 1 : 0; }
  /// The caller's axis for one of the model, and the other way round.
  [[nodiscard]] std::size_t axis(std::size_t d, std::size_t axes) const noexcept {
    return is_fortran ? d : axes - 1 - d;
  }
  /// "hi[1]" or "hi(2)".
  [[nodiscard]] std::string element(std::string_view name, std::size_t axis) const;
};

}  // namespace blockyard::ga
