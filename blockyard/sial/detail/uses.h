// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/sial/checked.h"

namespace blockyard::sial::detail {

/// `ask`: whether the block exists.
enum class Access : std::uint8_t { read, write, update, ask };

/// One mention of a block or of an index: `block` is null for an index in an expression.
struct Use {
  const checked::Block* block = nullptr;
  std::int32_t index = -1;
  Access access = Access::read;
  Place at;
};

/// What a statement mentions, in the order of execution: reads before writes. Of control
/// statements only their conditions, not the statements inside.
[[nodiscard]] std::vector<Use> uses_of(const checked::Unit& unit,
                                       const checked::Statement& statement);
[[nodiscard]] std::vector<Use> uses_of(const std::vector<checked::Expr>& values);

/// Procs that are reachable from the program, each after those it calls (unless they are
/// recursive), and the callees of each.
struct Calls {
  std::vector<std::size_t> bottom_up;
  std::vector<std::vector<std::size_t>> callees;
};
[[nodiscard]] Calls calls_of(const checked::Unit& unit);

}  // namespace blockyard::sial::detail
