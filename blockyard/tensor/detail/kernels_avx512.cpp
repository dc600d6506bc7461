// SPDX-License-Identifier: Apache-2.0
namespace blockyard::tensor::detail {
namespace {
constexpr int vector_bytes = 64;
}
}  // namespace blockyard::tensor::detail

#include "blockyard/tensor/detail/kernel_body.h"

namespace blockyard::tensor::detail {

template <>
const Kernels<float>& kernels_avx512<float>() noexcept {
  return table<float>;
}
template <>
const Kernels<double>& kernels_avx512<double>() noexcept {
  return table<double>;
}
template <>
const Kernels<c64>& kernels_avx512<c64>() noexcept {
  return table<c64>;
}
template <>
const Kernels<c128>& kernels_avx512<c128>() noexcept {
  return table<c128>;
}

}  // namespace blockyard::tensor::detail
