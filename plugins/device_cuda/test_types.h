// SPDX-License-Identifier: Apache-2.0
// What the tests of kernels know of the types of elements.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "blockyard/device/abi.h"

namespace blockyard::cuda {

template <class T>
constexpr bool is_complex = !std::is_floating_point_v<T>;
template <class T>
constexpr std::uint32_t element_of = std::is_same_v<T, float>                 ? BLOCKYARD_F32
                                     : std::is_same_v<T, double>              ? BLOCKYARD_F64
                                     : std::is_same_v<T, std::complex<float>> ? BLOCKYARD_C64
                                                                              : BLOCKYARD_C128;

}  // namespace blockyard::cuda
