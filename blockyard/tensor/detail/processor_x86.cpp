// SPDX-License-Identifier: Apache-2.0
// Built on x86-64 only (room.cmake).
#include "blockyard/tensor/detail/processor_x86.h"

namespace blockyard::tensor::detail {

InstructionSet instruction_set() noexcept {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return InstructionSet::baseline;
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512cd") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return has_avx512 ? InstructionSet::avx512 : InstructionSet::avx2;
}

}  // namespace blockyard::tensor::detail
