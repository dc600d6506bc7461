// SPDX-License-Identifier: Apache-2.0
// Built on x86-64 only (room.cmake).
#include "blockyard/tensor/detail/kernels.h"

namespace blockyard::tensor::detail {
namespace {

bool has_avx512() noexcept {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
bool has_avx2() noexcept { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

template <class T>
const Kernels<T>& choose() noexcept {
  if (has_avx512()) return kernels_avx512<T>();
  if (has_avx2()) return kernels_avx2<T>();
  return kernels_baseline<T>();
}

}  // namespace

template <Element T>
const Kernels<T>& kernels() noexcept {
  static const Kernels<T>& chosen = choose<T>();  // a fact about the processor, not state
  return chosen;
}

template const Kernels<float>& kernels<float>() noexcept;
template const Kernels<double>& kernels<double>() noexcept;
template const Kernels<c64>& kernels<c64>() noexcept;
template const Kernels<c128>& kernels<c128>() noexcept;

}  // namespace blockyard::tensor::detail
