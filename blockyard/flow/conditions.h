// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "blockyard/program/program.h"

namespace blockyard::flow {

/// A part of the where code of a pardo. A setting of the indexes is an iteration if all parts hold.
struct Condition {
  std::int32_t first = 0;           ///< pc
  std::int32_t end = 0;             ///< pc after the last instruction
  std::vector<std::size_t> places;  ///< of those indexes of the pardo that it reads, ascending
  friend bool operator==(const Condition&, const Condition&) = default;
};

struct FixedConditions {
  std::vector<Condition> conditions;
  bool are_all = false;  ///< the where code has no others
};

/// The conditions of a pardo that for one setting are the same from its begin to its end: they read
/// indexes, and ints, scalars and static arrays that its body does not change.
[[nodiscard]] FixedConditions fixed_conditions(const program::Program& program,
                                               const program::PardoDecl& pardo);

}  // namespace blockyard::flow
