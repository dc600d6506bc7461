// SPDX-License-Identifier: Apache-2.0
#include "blockyard/tensor/contract_packing.h"

namespace blockyard::tensor {

double packed_elements(const ContractPlan& plan, double left, double right, double result) {
  const auto& operands = plan.steps().operand;
  return (operands[detail::left_side].packing ? left : 0) +
         (operands[detail::right_side].packing ? right : 0) +
         (operands[detail::result_side].packing ? result : 0);
}

}  // namespace blockyard::tensor
