// SPDX-License-Identifier: Apache-2.0
// Built on every processor but x86-64 (room.cmake).
#include "blockyard/tensor/detail/panel_kernels.h"

namespace blockyard::tensor::detail {

template <Element T>
const Kernels<T>& kernels() noexcept {
  return kernels_baseline<T>();
}

template const Kernels<float>& kernels<float>() noexcept;
template const Kernels<double>& kernels<double>() noexcept;
template const Kernels<c64>& kernels<c64>() noexcept;
template const Kernels<c128>& kernels<c128>() noexcept;

template <Element T>
std::vector<const Kernels<T>*> all_kernels() {
  return {&kernels_baseline<T>()};
}

template <class R>
std::vector<const PanelKernels<R>*> all_panel_kernels() {
  return {&panel_kernels_baseline<R>()};
}

template <class R>
const PanelKernels<R>& panel_kernels() noexcept {
  return panel_kernels_baseline<R>();
}
template const PanelKernels<float>& panel_kernels<float>() noexcept;
template const PanelKernels<double>& panel_kernels<double>() noexcept;
template std::vector<const Kernels<float>*> all_kernels<float>();
template std::vector<const Kernels<double>*> all_kernels<double>();
template std::vector<const Kernels<c64>*> all_kernels<c64>();
template std::vector<const Kernels<c128>*> all_kernels<c128>();
template std::vector<const PanelKernels<float>*> all_panel_kernels<float>();
template std::vector<const PanelKernels<double>*> all_panel_kernels<double>();

}  // namespace blockyard::tensor::detail
