// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

/// The fields of a plain struct without naming them, so that a message is encoded and decoded by
/// its declaration alone. Source: A. Polukhin, "magic_get" (Boost.PFR), for few, public fields.
namespace blockyard::wire::detail {

struct Anything {
  template <class T>
  operator T() const;  // never defined: only asked whether it could be
};

template <std::size_t>
using AnythingAt = Anything;

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{AnythingAt<I>{}...}; };
}

inline constexpr std::size_t max_fields = 8;

/// The largest count of values that can initialise T in braces.
template <class T, std::size_t Count = max_fields>
constexpr std::size_t field_count() {
  if constexpr (Count == 0 || takes<T>(std::make_index_sequence<Count>())) {
    static_assert(!takes<T>(std::make_index_sequence<max_fields + 1>()), "T has too many fields");
    return Count;
  } else {
    return field_count<T, Count - 1>();
  }
}

/// References to the fields of `t`, in the order of declaration.
template <class T>
constexpr auto fields(T& t) {
  constexpr std::size_t count = field_count<std::remove_const_t<T>>();
  if constexpr (count == 0) {
    return std::tuple<>();
  } else if constexpr (count == 1) {
    auto& [a] = t;
    return std::tie(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = t;
    return std::tie(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = t;
    return std::tie(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = t;
    return std::tie(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = t;
    return std::tie(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = t;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = t;
    return std::tie(a, b, c, d, e, f, g);
  } else {
    auto& [a, b, c, d, e, f, g, h] = t;
    return std::tie(a, b, c, d, e, f, g, h);
  }
}

}  // namespace blockyard::wire::detail
