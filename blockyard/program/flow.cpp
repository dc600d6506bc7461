// SPDX-License-Identifier: Apache-2.0
#include "blockyard/program/flow.h"

#include <algorithm>

namespace blockyard::program {
namespace {

Use use_of(char access) {
  return access == 'r' ? Use::read : access == 'w' ? Use::write : Use::update;
}

OperandKind kind_of(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::selector:
      return OperandKind::selector;
    case ArgumentKind::scalar:
      return OperandKind::scalar;
    case ArgumentKind::int_name:
      return OperandKind::int_name;
    case ArgumentKind::literal:
      break;
  }
  return OperandKind::literal;
}

/// The operand of kind `kind`, or -1.
std::int32_t operand_of(const Instruction& instruction, OperandKind kind) noexcept {
  const auto& kinds = row_of(instruction.opcode).operands;
  if (kinds[0] == kind) return instruction.a;
  if (kinds[1] == kind) return instruction.b;
  return kinds[2] == kind ? instruction.c : -1;
}

}  // namespace

std::int32_t target_of(const Instruction& instruction) noexcept {
  return operand_of(instruction, OperandKind::target);
}

const PardoDecl* pardo_of(const Program& program, const Instruction& instruction) {
  const std::int32_t pardo = operand_of(instruction, OperandKind::pardo);
  return pardo < 0 ? nullptr : &program.pardos[static_cast<std::size_t>(pardo)];
}

ProcDecl proc_at(const Program& program, std::int32_t pc) {
  const auto after = std::ranges::upper_bound(program.procs, pc, {}, &ProcDecl::begin);
  if (after != program.procs.begin()) return *std::prev(after);
  return {0, program.procs.empty() ? static_cast<std::int32_t>(program.code.size())
                                   : program.procs.front().begin};
}

Use use_of_a(const Instruction& instruction) noexcept {
  if (has_effect(instruction.opcode, effect::updates)) return Use::update;
  if (!has_effect(instruction.opcode, effect::writes)) return Use::read;
  const std::int32_t mode = operand_of(instruction, OperandKind::mode);
  if (mode > static_cast<std::int32_t>(Mode::set)) return Use::update;
  const std::int32_t flags = operand_of(instruction, OperandKind::flags);
  return flags > 0 && (flags & flag_accumulate) != 0 ? Use::update : Use::write;
}

bool is_scaled(const Instruction& instruction) noexcept {
  const std::int32_t flags = operand_of(instruction, OperandKind::flags);
  return flags > 0 && (flags & flag_scaled) != 0;
}

Operand argument_of(const Program& program, const Instruction& instruction, std::int32_t n) {
  const std::int32_t first = operand_of(instruction, OperandKind::argument);
  const std::int32_t special = operand_of(instruction, OperandKind::special);
  const Argument& argument = program.arguments[static_cast<std::size_t>(first + n)];
  const std::string& signature = program.specials[static_cast<std::size_t>(special)].signature;
  return {kind_of(argument.kind), argument.id, use_of(signature[static_cast<std::size_t>(n)])};
}

std::int32_t array_of(const Program& program, const Operand& operand) {
  if (operand.kind == OperandKind::array) return operand.id;
  if (operand.kind != OperandKind::selector) return -1;
  return program.selectors[static_cast<std::size_t>(operand.id)].array;
}

}  // namespace blockyard::program
