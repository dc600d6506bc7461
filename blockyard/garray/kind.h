// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "blockyard/fabric/element.h"

namespace blockyard::garray {

/// The element type of an array. Codes are those of GA's C types; a user's types follow.
struct Kind {
  int code = 0;
  std::size_t bytes = 0;
  std::optional<fabric::Element> element;  ///< nothing: not to be calculated with

  friend bool operator==(const Kind&, const Kind&) = default;
};

inline constexpr int first_kind = 1000, first_user_kind = 1017;

/// GA's numbers, C and Fortran; Fortran's become the C types of the same width.
/// fortran_integer: bytes of an INTEGER. Nothing for an unknown type.
[[nodiscard]] std::optional<Kind> kind_of(int code, int fortran_integer = 8);

/// "double", "int": for messages.
[[nodiscard]] std::string name_of(const Kind& kind);

}  // namespace blockyard::garray
