// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "blockyard/program/program.h"

/// How instructions follow each other and what they name, from the opcode table alone: the basis
/// of every analysis of a program. Pure; the program must have passed `verify`.
namespace blockyard::program {

[[nodiscard]] inline const Instruction& instruction_at(const Program& program, std::int32_t pc) {
  return program.code[static_cast<std::size_t>(pc)];
}

/// The pc other than the next that the instruction may jump to; -1 if none.
[[nodiscard]] std::int32_t target_of(const Instruction& instruction) noexcept;

/// The pardo that a loop instruction is about; null for a do loop and for all other instructions.
[[nodiscard]] const PardoDecl* pardo_of(const Program& program, const Instruction& instruction);

/// The procedure that holds `pc`; {0, end of the main program} outside of all.
[[nodiscard]] ProcDecl proc_at(const Program& program, std::int32_t pc);

/// Calls visit(pc) for each instruction that may come next within the procedure. A call is followed
/// by the instruction after it; a return, the end of the program and where_end by none.
template <class Visit>
void for_each_successor(const Program& program, std::int32_t pc, const Visit& visit) {
  const Instruction& instruction = instruction_at(program, pc);
  const Control control = row_of(instruction.opcode).control;
  if (control == Control::loop_begin || control == Control::loop_next) {
    const std::int32_t target = target_of(instruction);
    if (target >= 0) visit(target);
    if (const PardoDecl* pardo = pardo_of(program, instruction)) {
      if (pardo->where >= 0) visit(pardo->where);
      visit(pardo->body);
      if (control == Control::loop_begin) return;
    }
  } else if (control == Control::jump || control == Control::branch) {
    visit(target_of(instruction));
  }
  constexpr std::array last = {Control::jump, Control::return_, Control::end, Control::stop,
                               Control::where_end};
  for (const Control none : last)
    if (control == none) return;
  visit(pc + 1);
}

/// How an instruction uses something that it names, as far as the worker's own memory goes: a put
/// reads the name of its target here, and changes the block at its home.
enum class Use : std::uint8_t {
  read,
  write,  ///< sets it, whatever it was
  update
};

/// An entry of the table that `kind` says; a product stands for the selectors of its operands, the
/// arguments of a super instruction for what they name.
struct Operand {
  OperandKind kind = OperandKind::none;
  std::int32_t id = 0;
  Use use = Use::read;
};

/// How the instruction uses operand a.
[[nodiscard]] Use use_of_a(const Instruction& instruction) noexcept;

/// Whether it pops a factor for its right side, above all that its row says.
[[nodiscard]] bool is_scaled(const Instruction& instruction) noexcept;

/// Argument n of an instruction that runs a super instruction, used as its signature says.
[[nodiscard]] Operand argument_of(const Program& program, const Instruction& instruction,
                                  std::int32_t n);

/// The array that a selector or array operand names, else -1.
[[nodiscard]] std::int32_t array_of(const Program& program, const Operand& operand);

/// Calls visit(Operand) for each int, scalar, index, array and selector that an instruction names.
template <class Visit>
void for_each_operand(const Program& program, const Instruction& instruction, const Visit& visit) {
  const auto& kinds = row_of(instruction.opcode).operands;
  const std::array<std::int32_t, 3> values = {instruction.a, instruction.b, instruction.c};
  for (std::size_t k = 0; k < values.size(); ++k) {
    switch (kinds[k]) {
      case OperandKind::int_name:
      case OperandKind::scalar:
      case OperandKind::index:
      case OperandKind::array:
      case OperandKind::selector:
        visit(Operand{kinds[k], values[k], k == 0 ? use_of_a(instruction) : Use::read});
        break;
      case OperandKind::product:
        for (const auto selector : program.products[static_cast<std::size_t>(values[k])].operands)
          visit(Operand{OperandKind::selector, selector, Use::read});
        break;
      case OperandKind::argument:
        for (std::int32_t n = 0; n < values[k + 1]; ++n)
          if (const Operand operand = argument_of(program, instruction, n);
              operand.kind != OperandKind::literal)
            visit(operand);
        break;
      default:
        break;
    }
  }
}

}  // namespace blockyard::program
