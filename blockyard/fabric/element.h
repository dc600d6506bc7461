// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace blockyard::fabric {

/// The element type of memory that ranks add to, or reduce.
enum class Element : std::uint8_t { i32, i64, f32, f64, c64, c128 };

enum class Reduction : std::uint8_t {
  sum,
  product,
  max,
  min,
  absmax,  ///< of absolute values
  absmin,
  logical_and,
  logical_or,
  bit_and,
  bit_or
};

/// Calls visit(T{}) with the C++ type of an element.
template <class Visit>
auto with_type(Element element, const Visit& visit) {
  switch (element) {
    case Element::i32:
      return visit(std::int32_t{});
    case Element::i64:
      return visit(std::int64_t{});
    case Element::f32:
      return visit(float{});
    case Element::f64:
      return visit(double{});
    case Element::c64:
      return visit(std::complex<float>{});
    default:
      return visit(std::complex<double>{});
  }
}

/// The element that lies in memory as a T: an integer, a real, or two reals in a row.
template <class T>
[[nodiscard]] consteval Element element_of() {
  if (std::is_integral_v<T>) return sizeof(T) == sizeof(std::int32_t) ? Element::i32 : Element::i64;
  if (std::is_floating_point_v<T>) return sizeof(T) == sizeof(float) ? Element::f32 : Element::f64;
  return sizeof(T) == sizeof(std::complex<float>) ? Element::c64 : Element::c128;
}

[[nodiscard]] inline std::size_t size_of(Element element) {
  return with_type(element, [](auto value) { return sizeof(value); });
}

/// False for integers.
template <class T>
[[nodiscard]] bool is_nan(T value) noexcept {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(value);
  else
    return false;
}

/// to[i] = to[i] (op) from[i]; the max, min, absmax or absmin with a NaN is NaN. Throws
/// Error{bad_input} for an operation that the type does not have.
void combine(Element element, Reduction reduction, void* to, const void* from, std::size_t count);

}  // namespace blockyard::fabric
