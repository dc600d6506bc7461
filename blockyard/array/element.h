// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace blockyard::array {

/// The element type of an array. The numbers appear in program files and messages.
enum class ElementType : std::uint8_t { f64, f32, c128, c64 };

inline constexpr std::size_t element_type_count = 4;

inline constexpr std::array<std::string_view, element_type_count> element_names = {"f64", "f32",
                                                                                   "c128", "c64"};

/// As the modifiers of a declaration say it, with a trailing space.
inline constexpr std::array<std::string_view, element_type_count> element_words = {
    "", "single ", "complex ", "single complex "};

[[nodiscard]] constexpr bool is_complex(ElementType type) noexcept {
  return type == ElementType::c128 || type == ElementType::c64;
}

[[nodiscard]] constexpr bool is_single(ElementType type) noexcept {
  return type == ElementType::f32 || type == ElementType::c64;
}

[[nodiscard]] constexpr ElementType element_type(bool is_complex, bool is_single) noexcept {
  if (is_complex) return is_single ? ElementType::c64 : ElementType::c128;
  return is_single ? ElementType::f32 : ElementType::f64;
}

/// Bytes of one element.
[[nodiscard]] constexpr std::size_t bytes_of(ElementType type) noexcept {
  return (is_complex(type) ? 2 : 1) * (is_single(type) ? sizeof(float) : sizeof(double));
}

/// The type that holds all values of both: complex if one is, single only if both are.
[[nodiscard]] constexpr ElementType wider(ElementType one, ElementType other) noexcept {
  return element_type(is_complex(one) || is_complex(other), is_single(one) && is_single(other));
}

/// The type of the real and imaginary parts.
[[nodiscard]] constexpr ElementType real_of(ElementType type) noexcept {
  return element_type(false, is_single(type));
}

/// The type of T.
template <class T>
inline constexpr ElementType element_type_of = ElementType::f64;
template <>
inline constexpr ElementType element_type_of<float> = ElementType::f32;
template <>
inline constexpr ElementType element_type_of<std::complex<double>> = ElementType::c128;
template <>
inline constexpr ElementType element_type_of<std::complex<float>> = ElementType::c64;

/// Calls work.operator()<T>() with the T that `type` names: where code for each type begins.
template <class Work>
decltype(auto) with_type(ElementType type, Work&& work) {
  switch (type) {
    case ElementType::f32:
      return work.template operator()<float>();
    case ElementType::c128:
      return work.template operator()<std::complex<double>>();
    case ElementType::c64:
      return work.template operator()<std::complex<float>>();
    case ElementType::f64:
      break;
  }
  return work.template operator()<double>();
}

/// A number as an element of type T: rounded to its precision; of a real T the real part.
template <class T>
[[nodiscard]] constexpr T element_from(std::complex<double> value) noexcept {
  if constexpr (is_complex(element_type_of<T>))
    return T(static_cast<typename T::value_type>(value.real()),
             static_cast<typename T::value_type>(value.imag()));
  else
    return static_cast<T>(value.real());
}

}  // namespace blockyard::array
