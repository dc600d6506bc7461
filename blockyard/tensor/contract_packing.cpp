// SPDX-License-Identifier: Apache-2.0
#include "blockyard/tensor/contract_packing.h"

namespace blockyard::tensor {

double packed_elements(const ContractPlan& plan, double left, double right, double result) {
  const auto& operands = plan.steps().operand;
  return (operands[detail::left_side].packed ? left : 0) +
         (operands[detail::right_side].packed ? right : 0) +
         (operands[detail::result_side].packed ? result : 0);
}

}  // namespace blockyard::tensor
