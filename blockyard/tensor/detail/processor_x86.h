// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace blockyard::tensor::detail {

/// Those that kernels are compiled for; each has what is in those before it.
enum class InstructionSet { baseline, avx2, avx512 };

/// The best that this processor has, by CPUID. tests/kernels links another answer in its place.
[[nodiscard]] InstructionSet instruction_set() noexcept;

}  // namespace blockyard::tensor::detail
