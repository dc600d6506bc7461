// SPDX-License-Identifier: Apache-2.0
#include "blockyard/program/program.h"

#include <fmt/format.h>

namespace blockyard::program {

ElementType type_of(const Program& program, const Selector& selector) {
  const ElementType type = program.arrays[static_cast<std::size_t>(selector.array)].type;
  const bool is_real = selector.part == Part::real || selector.part == Part::imaginary;
  return is_real ? array::real_of(type) : type;
}

ElementType type_of(const Program& program, const Product& product, ElementType result) {
  for (const std::int32_t operand : product.operands)
    result = array::wider(result,
                          type_of(program, program.selectors[static_cast<std::size_t>(operand)]));
  return result;
}

bool is_complex(const Program& program, const Instruction& instruction) {
  const auto a = static_cast<std::size_t>(instruction.a);
  switch (row_of(instruction.opcode).operands[0]) {
    case OperandKind::scalar:
      return program.scalars[a].is_complex;
    case OperandKind::selector:
      return array::is_complex(type_of(program, program.selectors[a]));
    case OperandKind::product:
      return array::is_complex(type_of(program, program.products[a], ElementType::f32));
    default:
      return false;
  }
}

std::string place_of(const Program& program, std::int32_t pc) {
  const auto at = static_cast<std::size_t>(pc);
  return at < program.lines.size() ? place_of(program, program.lines[at]) : program.name;
}

std::string place_of(const Program& program, const SourceLine& at) {
  const std::string& file = at.file < program.files.size() ? program.files[at.file] : program.name;
  return fmt::format("{}:{}", file, at.line);
}

}  // namespace blockyard::program
