// SPDX-License-Identifier: Apache-2.0
// All processors are as the oldest here.
#include <gtest/gtest.h>

#include "blockyard/tensor/detail/panel_kernels.h"
#include "blockyard/tensor/detail/processor_x86.h"

namespace blockyard::tensor::detail {

InstructionSet instruction_set() noexcept { return InstructionSet::baseline; }

namespace {

TEST(InstructionSet, IsTheBaselineInAllTestsOfThisProgram) {
  EXPECT_EQ(&kernels<float>(), &kernels_baseline<float>());
  EXPECT_EQ(&kernels<double>(), &kernels_baseline<double>());
  EXPECT_EQ(&kernels<c64>(), &kernels_baseline<c64>());
  EXPECT_EQ(&kernels<c128>(), &kernels_baseline<c128>());
  EXPECT_EQ(&panel_kernels<float>(), &panel_kernels_baseline<float>());
  EXPECT_EQ(&panel_kernels<double>(), &panel_kernels_baseline<double>());
}

}  // namespace
}  // namespace blockyard::tensor::detail
