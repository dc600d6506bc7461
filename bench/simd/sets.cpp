// SPDX-License-Identifier: Apache-2.0
#include "bench/simd/loops.h"

namespace blockyard::bench {

// In the files that the build makes of scalar.cpp.in and vectors.cpp.in.
const Loops& scalar_baseline();
const Loops& compiled_baseline();
const Vectors& by_hand_baseline();
const Loops& scalar_avx2();
const Loops& compiled_avx2();
const Vectors& by_hand_avx2();
const Loops& scalar_avx512();
const Loops& compiled_avx512();
const Vectors& by_hand_avx512();

const std::array<InstructionSet, 3>& instruction_sets() {
  static constexpr std::array<InstructionSet, 3> all = {{
      {"baseline", [] { return true; }, scalar_baseline, compiled_baseline, by_hand_baseline},
      {"AVX2", [] { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); },
       scalar_avx2, compiled_avx2, by_hand_avx2},
      {"AVX-512",
       [] { return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"); },
       scalar_avx512, compiled_avx512, by_hand_avx512},
  }};
  return all;
}

}  // namespace blockyard::bench
