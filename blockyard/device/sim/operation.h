// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "blockyard/device/abi_cpp.h"

namespace blockyard::device::sim {

/// OK, or why this operation cannot be planned: `*why` is then a sentence.
[[nodiscard]] blockyard_status check(const blockyard_operation& operation, const char** why);

[[nodiscard]] bool has_right(const blockyard_operation& operation) noexcept;

/// The blocks of an operation, found in memory.
struct Blocks {
  std::byte* result;
  const std::byte* left;
  std::byte* right;  // null where the operation has one operand; written by some kinds
};

/// Does the operation with plain loops over all its indexes: slow and obvious.
void run(const blockyard_operation& operation, const double alpha[2], const double beta[2],
         const Blocks& blocks);

/// Sets `count` elements.
void fill(std::byte* to, std::uint32_t element, const double value[2], std::uint64_t count);

}  // namespace blockyard::device::sim
