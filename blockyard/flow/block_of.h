// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "blockyard/array/block_id.h"
#include "blockyard/flow/bind.h"
#include "blockyard/program/program.h"

namespace blockyard::flow {

/// A block by name, and how long it is.
struct NamedBlock {
  array::BlockId id;
  std::size_t bytes = 0;
};

/// The whole block that a selector of form `block` means for these values of the indexes; nothing
/// where an index has no value or one outside of the array. Pure.
[[nodiscard]] std::optional<NamedBlock> block_of(const program::Program& program,
                                                 const Tables& tables,
                                                 const program::Selector& selector,
                                                 std::span<const std::int64_t> values);

}  // namespace blockyard::flow
