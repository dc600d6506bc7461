// SPDX-License-Identifier: Apache-2.0
// The vectors come first: kernel_body.h is written in their terms.
// clang-format off
#include "blockyard/tensor/detail/vector_baseline.h"
#include "blockyard/tensor/detail/kernel_body.h"
// clang-format on

namespace blockyard::tensor::detail {

template <>
const Kernels<float>& kernels_baseline<float>() noexcept {
  return table<float>;
}
template <>
const Kernels<double>& kernels_baseline<double>() noexcept {
  return table<double>;
}
template <>
const Kernels<c64>& kernels_baseline<c64>() noexcept {
  return table<c64>;
}
template <>
const Kernels<c128>& kernels_baseline<c128>() noexcept {
  return table<c128>;
}
template <>
const PanelKernels<float>& panel_kernels_baseline<float>() noexcept {
  return panel_table<float>;
}
template <>
const PanelKernels<double>& panel_kernels_baseline<double>() noexcept {
  return panel_table<double>;
}

}  // namespace blockyard::tensor::detail
