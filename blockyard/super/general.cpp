// SPDX-License-Identifier: Apache-2.0
#include "blockyard/super/general.h"

#include <fstream>
#include <string>

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

/// name[1.2].txt of block name[1,2], in the working folder.
std::string text_file_of(const Operand& block) {
  std::string name = std::string(block.name) + "[";
  for (std::size_t k = 0; k < block.segments.size(); ++k)
    name += (k > 0 ? "." : "") + std::to_string(block.segments[k]);
  return name + "].txt";
}

void read_block_from_text_file(std::span<Operand> operands, const Context&) {
  const std::string path = text_file_of(operands[0]);
  std::ifstream in(path);
  if (!in) throw base::Error(base::Errc::io, "cannot read the file " + path);
  for (double& element : operands[0].values)
    if (!(in >> element))
      throw base::Error(
          base::Errc::bad_input,
          path + " must hold " + std::to_string(operands[0].values.size()) + " numbers");
}

void get_my_rank(std::span<Operand> operands, const Context& context) {
  for (double& element : operands[0].values) element = context.worker;
}

}  // namespace

void add_general(Table& table) {
  table.add({"fill_block_sequential", "wr", fill_block_sequential, {"ur"}});
  table.add({"fill_block_cyclic", "wr", fill_block_cyclic, {"ur"}});
  table.add({"read_block_from_text_file", "w", read_block_from_text_file, {}});
  table.add({"get_my_rank", "w", get_my_rank, {"u"}});
}

}  // namespace blockyard::super
