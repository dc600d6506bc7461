// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/kind.h"

#include <fmt/format.h>

#include <array>

namespace blockyard::garray {

using fabric::Element;

std::optional<Kind> kind_of(int code, int fortran_integer) {
  const int integer = fortran_integer == 8 ? 1002 : 1001;
  switch (code) {
    case 1000:
    case 1009:
      return Kind{1000, 1, std::nullopt};
    case 1001:
      return Kind{code, 4, Element::i32};
    case 1002:
    case 1016:
      return Kind{code, 8, Element::i64};
    case 1010:
    case 1011:
      return kind_of(integer);
    case 1003:
    case 1012:
      return Kind{1003, 4, Element::f32};
    case 1004:
    case 1013:
      return Kind{1004, 8, Element::f64};
    case 1005:
      return Kind{code, sizeof(long double), std::nullopt};
    case 1006:
    case 1014:
      return Kind{1006, 8, Element::c64};
    case 1007:
    case 1015:
      return Kind{1007, 16, Element::c128};
    case 1008:
      return Kind{code, 2 * sizeof(long double), std::nullopt};
    default:
      return std::nullopt;
  }
}

std::string name_of(const Kind& kind) {
  constexpr std::array<const char*, 9> names = {"char",
                                                "int",
                                                "long",
                                                "float",
                                                "double",
                                                "long double",
                                                "float complex",
                                                "double complex",
                                                "long double complex"};
  if (kind.code == 1016) return "long long";
  if (kind.code >= first_kind && kind.code < first_kind + static_cast<int>(names.size()))
    return names[static_cast<std::size_t>(kind.code - first_kind)];
  return fmt::format("user type of {} bytes", kind.bytes);
}

}  // namespace blockyard::garray
