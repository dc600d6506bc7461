// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "blockyard/device/abi_cpp.h"

/// What plug-ins need to understand a descriptor. Sees no header of ours but abi_*.h.
namespace blockyard::plugin {

enum Side : std::size_t { of_result = 0, of_left = 1, of_right = 2 };

/// One index of an operation, or several that may be walked as one: its extent, and its stride in
/// elements in each operand (0 where it does not stand).
struct Axis {
  std::int64_t extent = 1;
  std::array<std::int64_t, 3> stride{};
};
using Axes = std::vector<Axis>;

[[nodiscard]] std::int64_t extent_of(const Axes& axes) noexcept;
/// Without axes of extent 1, fastest first in the operand `side`, and neighbours made one where all
/// operands walk them alike.
void sort_and_fuse(Axes& axes, std::size_t side);

/// The indexes of an operation by where they stand, fused where their strides allow it. A
/// contraction is result(m, n, batch) += sum over k of left(m, k, batch) * right(k, n, batch); of
/// the other kinds all indexes are in m, but those of a dot are in k.
struct Form {
  Axes m, n, k, batch;
};

/// BLOCKYARD_OK and the form of an operation; otherwise `why` says what is wrong with it.
[[nodiscard]] blockyard_status analyse(const blockyard_operation& operation, Form& form,
                                       const char** why);

using device::element_bytes;
using device::element_count;
[[nodiscard]] bool has_right(const blockyard_operation& operation) noexcept;

}  // namespace blockyard::plugin
