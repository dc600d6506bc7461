// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "blockyard/array/element.h"
#include "blockyard/tensor/contract.h"

namespace blockyard::flow {

using base::Extent;

/// A product of two or more blocks as contractions of two, in the order that costs the fewest
/// multiplications for these shapes. Made once per instruction and set of shapes.
struct Chain {
  /// Values 0 .. n-1 are the operands; step s makes value n + s; the last step makes the result.
  struct Step {
    std::size_t left;
    std::size_t right;
    tensor::ContractPlan plan;
    tensor::Shape shape;  ///< of the value it makes
    tensor::ContractSpec spec{};
    tensor::Shape left_shape{};
    tensor::Shape right_shape{};
  };
  std::vector<Step> steps;
  Extent workspace_elements = 0;  ///< the most that a step needs
  double flops = 0;
};

/// For elements of one type; of operands that `conjugates` names (none, or one for each) the
/// conjugate is taken. Throws Error{bad_input} for names or extents that do not go together.
[[nodiscard]] Chain make_chain(std::span<const tensor::Names> operands,
                               std::span<const tensor::Shape> shapes, const tensor::Names& result,
                               const tensor::Shape& result_shape,
                               array::ElementType type = array::ElementType::f64,
                               std::span<const tensor::Conjugate> conjugates = {});

}  // namespace blockyard::flow
