// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/worker/detail/located.h"

namespace blockyard::worker::detail {

/// A product of blocks, decided before either side executes it: where its blocks are, the type that
/// it is computed in, and the steps that compute it.
struct Contraction {
  const program::Product* product = nullptr;
  const Located* to = nullptr;  ///< null: the result is a number
  std::vector<Located> operands{};
  std::vector<tensor::Shape> shapes{};  ///< theirs
  ElementType type = ElementType::f64;  ///< the widest of all its blocks
  bool is_mixed = false;                ///< they are of several types
  const Chain* chain = nullptr;
  bool accumulates = false;
  Number factor = 1.0;
};

}  // namespace blockyard::worker::detail
