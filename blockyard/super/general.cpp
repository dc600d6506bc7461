// SPDX-License-Identifier: Apache-2.0
#include "blockyard/super/general.h"

#include "blockyard/base/error.h"

namespace blockyard::super {

namespace {

double scalar_value(const Operand& operand) {
  if (operand.values.size() != 1)
    throw base::Error(base::Errc::bad_input, "the second argument must be a number or a scalar");
  return operand.values[0];
}

void fill_block_sequential(std::span<Operand> operands, const Context&) {
  double value = scalar_value(operands[1]);
  for (double& element : operands[0].values) {
    element = value;
    value += 1.0;
  }
}

void fill_block_cyclic(std::span<Operand> operands, const Context&) {
  constexpr std::size_t period = 20;
  const double first = scalar_value(operands[1]);
  const std::span<double> values = operands[0].values;
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = first + static_cast<double>(k % period);
}

void get_my_rank(std::span<Operand> operands, const Context& context) {
  for (double& element : operands[0].values) element = context.worker;
}

}  // namespace

void add_general(Table& table) {
  table.add({"fill_block_sequential", "wr", fill_block_sequential, {"ur"}});
  table.add({"fill_block_cyclic", "wr", fill_block_cyclic, {"ur"}});
  table.add({"get_my_rank", "w", get_my_rank, {"u"}});
}

}  // namespace blockyard::super
