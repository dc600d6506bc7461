// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/element.h"

#include <cmath>
#include <type_traits>

#include "blockyard/base/error.h"

namespace blockyard::fabric {

namespace {

template <class T>
constexpr bool is_complex = !std::is_arithmetic_v<T>;

template <class T>
T magnitude(T value) noexcept {
  if constexpr (std::is_integral_v<T>)
    return value < 0 ? static_cast<T>(T{} - value) : value;
  else
    return std::abs(value);
}

[[noreturn]] void refuse(const char* text) { throw base::Error(base::Errc::bad_input, text); }

// Whether b is taken instead of a. Not a number is taken before all numbers: whatever the order of
// ranks, it comes through.
template <class T>
bool is_larger(T b, T a) noexcept {
  return b > a || (is_nan(b) && !is_nan(a));
}
template <class T>
bool is_smaller(T b, T a) noexcept {
  return b < a || (is_nan(b) && !is_nan(a));
}

template <class T, class Op>
void apply(T* to, const T* from, std::size_t count, const Op& op) {
  for (std::size_t i = 0; i < count; ++i) to[i] = op(to[i], from[i]);
}

/// Those of two complex numbers whose absolute value is larger or smaller.
template <class T>
void pick(Reduction reduction, T* to, const T* from, std::size_t count) {
  if constexpr (is_complex<T>) {
    switch (reduction) {
      case Reduction::max:
      case Reduction::absmax:
        return apply(to, from, count,
                     [](T a, T b) { return is_larger(std::abs(b), std::abs(a)) ? b : a; });
      case Reduction::min:
      case Reduction::absmin:
        return apply(to, from, count,
                     [](T a, T b) { return is_smaller(std::abs(b), std::abs(a)) ? b : a; });
      default:
        refuse("logical and bitwise operations are not for complex numbers");
    }
  } else {
    switch (reduction) {
      case Reduction::max:
        return apply(to, from, count, [](T a, T b) { return is_larger(b, a) ? b : a; });
      case Reduction::min:
        return apply(to, from, count, [](T a, T b) { return is_smaller(b, a) ? b : a; });
      case Reduction::absmax:
        return apply(to, from, count, [](T a, T b) {
          return is_larger(magnitude(b), magnitude(a)) ? magnitude(b) : magnitude(a);
        });
      case Reduction::absmin:
        return apply(to, from, count, [](T a, T b) {
          return is_smaller(magnitude(b), magnitude(a)) ? magnitude(b) : magnitude(a);
        });
      case Reduction::logical_and:
        return apply(to, from, count,
                     [](T a, T b) { return static_cast<T>(a != T{} && b != T{}); });
      case Reduction::logical_or:
        return apply(to, from, count,
                     [](T a, T b) { return static_cast<T>(a != T{} || b != T{}); });
      default:
        break;
    }
    if constexpr (std::is_integral_v<T>) {
      if (reduction == Reduction::bit_and)
        return apply(to, from, count, [](T a, T b) { return static_cast<T>(a & b); });
      return apply(to, from, count, [](T a, T b) { return static_cast<T>(a | b); });
    }
    refuse("bitwise operations are for integers only");
  }
}

}  // namespace

void combine(Element element, Reduction reduction, void* to, const void* from, std::size_t count) {
  with_type(element, [&](auto value) {
    using T = decltype(value);
    auto* into = static_cast<T*>(to);
    const auto* values = static_cast<const T*>(from);
    if (reduction == Reduction::sum)
      apply(into, values, count, [](T a, T b) { return static_cast<T>(a + b); });
    else if (reduction == Reduction::product)
      apply(into, values, count, [](T a, T b) { return static_cast<T>(a * b); });
    else
      pick(reduction, into, values, count);
  });
}

}  // namespace blockyard::fabric
