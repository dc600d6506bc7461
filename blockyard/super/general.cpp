// SPDX-License-Identifier: Apache-2.0
#include "blockyard/super/general.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "blockyard/base/error.h"
#include "blockyard/super/block_files.h"

namespace blockyard::super {

namespace {

using Operands = std::span<Operand>;

[[noreturn]] void refuse(const std::string& text) {
  throw base::Error(base::Errc::bad_input, text);
}

double scalar_value(const Operand& operand) {
  if (operand.values.size() != 1) refuse("the second argument must be a number or a scalar");
  return operand.values[0];
}

void fill_block_sequential(Operands operands, const Context&) {
  double value = scalar_value(operands[1]);
  for (double& element : operands[0].values) {
    element = value;
    value += 1.0;
  }
}

/// ACES4 counts in single precision; its programs print what comes of that.
void fill_block_cyclic(Operands operands, const Context&) {
  constexpr float last = 20.0F;
  auto value = static_cast<float>(scalar_value(operands[1]));
  for (double& element : operands[0].values) {
    element = static_cast<double>(value);
    value = value == last ? 1.0F : value + 1.0F;
  }
}

void swap_blocks(Operands operands, const Context&) {
  if (operands[0].values.size() != operands[1].values.size())
    refuse("the two arguments must have the same number of elements");
  std::ranges::swap_ranges(operands[0].values, operands[1].values);
}

void get_first_block_element(Operands operands, const Context&) {
  operands[1].values[0] = operands[0].values[0];
}

void do_nothing(Operands, const Context&) {}

void get_my_rank(Operands operands, const Context& context) {
  for (double& element : operands[0].values) element = context.worker;
}

void check_length(const Operand& block, std::size_t elements) {
  if (block.values.size() < elements)
    refuse("the block must have at least " + std::to_string(elements) + " elements");
}

void get_scratch_array_dummy(Operands operands, const Context&) {
  constexpr std::size_t length = 32;
  check_length(operands[0], length);
  std::iota(operands[0].values.begin(), operands[0].values.begin() + length, 1.0);
}

/// The first elements of an array of the job.
Function copies_of(const char* name) {
  return [name](Operands operands, const Context& context) {
    constexpr std::size_t length = 8;
    const array::DenseArray& from = context.predefined_array(name);
    check_length(operands[0], length);
    if (from.values.size() < length)
      refuse("the array " + std::string(name) + " of the job must have at least 8 elements");
    std::copy_n(from.values.begin(), length, operands[0].values.begin());
  };
}

}  // namespace

void add_general(Table& table) {
  table.add({"fill_block_sequential", "wr", fill_block_sequential, {"ur"}});
  table.add({"fill_block_cyclic", "wr", fill_block_cyclic, {"ur"}});
  table.add({"swap_blocks", "uu", swap_blocks, {}});
  table.add({"get_first_block_element", "rw", get_first_block_element, {"ru"}});
  table.add({"one_arg_no_op", "r", do_nothing, {"w"}});
  table.add({"check_block_number_calculation", "w", do_nothing, {}});
  table.add({"enable_debug_print", "", do_nothing, {}});
  table.add({"disable_debug_print", "", do_nothing, {}});
  table.add({"get_my_rank", "w", get_my_rank, {"u"}});
  table.add({"get_scratch_array_dummy", "w", get_scratch_array_dummy, {}});
  table.add({"get_and_print_int_array_dummy", "w", copies_of("int_array_data"), {}});
  table.add({"get_and_print_scalar_array_dummy", "w", copies_of("scalar_array_data"), {}});
  add_block_files(table);
}

}  // namespace blockyard::super
