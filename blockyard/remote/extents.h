// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "blockyard/device/abi.h"

namespace blockyard::remote {

/// Bytes of an element of the table; 0: it is not one.
[[nodiscard]] std::uint64_t element_bytes(std::uint32_t element) noexcept;

/// Bytes of a block of an operation. Nothing if order, extents or element cannot be those of one:
/// also what a stranger sends is measured here.
[[nodiscard]] std::optional<std::uint64_t> block_bytes(const blockyard_operand& operand,
                                                       std::uint32_t element) noexcept;

/// Whether an operation has a right operand in memory.
[[nodiscard]] bool has_right(const blockyard_operation& operation) noexcept;

/// Whether all of an operation's blocks can be measured.
[[nodiscard]] bool is_measurable(const blockyard_operation& operation) noexcept;

}  // namespace blockyard::remote
