// SPDX-License-Identifier: Apache-2.0
// All processors are without AVX-512 here.
#include <gtest/gtest.h>

#include "blockyard/tensor/detail/panel_kernels.h"
#include "blockyard/tensor/detail/processor_x86.h"

namespace blockyard::tensor::detail {

InstructionSet instruction_set() noexcept {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? InstructionSet::avx2
                                                                         : InstructionSet::baseline;
}

namespace {

TEST(InstructionSet, IsAvx2InAllTestsOfThisProgram) {
  if (instruction_set() == InstructionSet::baseline)
    GTEST_SKIP() << "this processor has no AVX2: all tests ran with the baseline";
  EXPECT_EQ(&kernels<float>(), &kernels_avx2<float>());
  EXPECT_EQ(&kernels<double>(), &kernels_avx2<double>());
  EXPECT_EQ(&kernels<c64>(), &kernels_avx2<c64>());
  EXPECT_EQ(&kernels<c128>(), &kernels_avx2<c128>());
  EXPECT_EQ(&panel_kernels<float>(), &panel_kernels_avx2<float>());
  EXPECT_EQ(&panel_kernels<double>(), &panel_kernels_avx2<double>());
}

}  // namespace
}  // namespace blockyard::tensor::detail
