// SPDX-License-Identifier: Apache-2.0
// Built on every processor but x86-64 (room.cmake).
#include "blockyard/tensor/detail/kernels.h"

namespace blockyard::tensor::detail {

template <Element T>
const Kernels<T>& kernels() noexcept {
  return kernels_baseline<T>();
}

template const Kernels<float>& kernels<float>() noexcept;
template const Kernels<double>& kernels<double>() noexcept;
template const Kernels<c64>& kernels<c64>() noexcept;
template const Kernels<c128>& kernels<c128>() noexcept;

}  // namespace blockyard::tensor::detail
