// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <concepts>

namespace blockyard::tensor {

using c64 = std::complex<float>;
using c128 = std::complex<double>;

/// The element types of blocks. Every template of this room is instantiated for these four.
template <class T>
concept Element = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, c64> ||
    std::same_as<T, c128>;

/// The type of a norm of T.
template <Element T>
struct RealOf {
  using type = T;
};
template <class R>
struct RealOf<std::complex<R>> {
  using type = R;
};
template <Element T>
using Real = typename RealOf<T>::type;

}  // namespace blockyard::tensor
