// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/tensor/contract.h"

namespace blockyard::tensor {

/// Elements that a plan copies to bring its operands into the order in which they are multiplied,
/// of operands with this many elements.
[[nodiscard]] double packed_elements(const ContractPlan& plan, double left, double right,
                                     double result);

}  // namespace blockyard::tensor
