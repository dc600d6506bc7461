// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/outline.h"

#include <algorithm>

#include "blockyard/flow/expressions.h"
#include "blockyard/program/flow.h"

namespace blockyard::flow {

using program::Control;
using program::Instruction;
using program::Opcode;
using program::OperandKind;
using program::Program;
namespace effect = program::effect;

namespace {

/// Whether it may change an int or a scalar.
bool changes_names(Opcode opcode) {
  const program::OpcodeRow& row = program::row_of(opcode);
  const bool is_name =
      row.operands[0] == OperandKind::int_name || row.operands[0] == OperandKind::scalar;
  return (is_name && (row.effects & (effect::writes | effect::updates)) != 0) ||
         row.operands[1] == OperandKind::argument;
}

/// Instructions that look-ahead must see: they lead elsewhere, change a name, name a block to get,
/// or are as far as it can look. The where code of a pardo is evaluated apart.
bool is_seen(Opcode opcode) {
  const program::OpcodeRow& row = program::row_of(opcode);
  constexpr int seen = effect::gets | effect::replaces | effect::ends_epoch;
  return (row.control != Control::next && row.control != Control::where_end) ||
         (row.effects & seen) != 0 || changes_names(opcode);
}

Outline::Role role_of(Opcode opcode) {
  const program::OpcodeRow& row = program::row_of(opcode);
  if ((row.effects & effect::gets) != 0) return Outline::Role::get;
  if (changes_names(opcode)) return Outline::Role::change;
  const bool is_last = row.control == Control::end || row.control == Control::stop;
  return row.control == Control::next || is_last ? Outline::Role::wall : Outline::Role::flow;
}

/// Instructions for which a do loop cannot be passed over.
bool is_of_interest(const Instruction& instruction) {
  const program::OpcodeRow& row = program::row_of(instruction.opcode);
  switch (row.control) {
    case Control::jump:
    case Control::branch:
      return false;
    case Control::loop_begin:
    case Control::loop_next:
    case Control::loop_leave:
      return row.operands[0] == OperandKind::pardo;
    default:
      return is_seen(instruction.opcode) && !changes_names(instruction.opcode);
  }
}

std::size_t at_pc(std::int32_t pc) { return static_cast<std::size_t>(pc); }

/// Whether look-ahead may pass over the do loop at `begin`: nothing in it is of interest, and it
/// ends where its range does, since nothing in it leaves a loop around it.
bool is_dull_loop(const Program& program, std::int32_t begin) {
  const std::int32_t end = std::max(program::target_of(program.code[at_pc(begin)]), begin + 1);
  for (std::int32_t pc = begin + 1; pc < end; ++pc) {
    const Instruction& instruction = program.code[at_pc(pc)];
    if (is_of_interest(instruction)) return false;
    if (program::row_of(instruction.opcode).control != Control::jump) continue;
    const std::int32_t target = program::target_of(instruction);
    if (target <= begin || target > end) return false;
  }
  return true;
}

/// Where the expression begins whose value the instruction at `end` pops.
std::int32_t begin_of_value(const Program& program, std::int32_t end) {
  std::int32_t pc = end;
  std::int64_t missing = 1;
  while (missing > 0 && pc > 0) {
    const auto& row = program::row_of(program.code[at_pc(--pc)].opcode);
    missing +=
        static_cast<std::int64_t>(row.pops.size()) - static_cast<std::int64_t>(row.pushes.size());
  }
  return pc;
}

/// An unknown condition: neither branch is looked into.
std::int32_t around(const Program& program, std::int32_t pc) {
  const std::int32_t target = program::target_of(program.code[at_pc(pc)]);
  if (target <= pc + 1) return pc + 1;
  const Instruction& before = program.code[at_pc(target - 1)];
  const bool is_jump = program::row_of(before.opcode).control == Control::jump;
  const bool leaves_loop =
      program::row_of(program.code[at_pc(target - 2)].opcode).control == Control::loop_leave;
  const bool has_else = is_jump && !leaves_loop && program::target_of(before) > target;
  return has_else ? program::target_of(before) : target;
}

}  // namespace

Outline::Outline(const Program& program)
    : points_(program.code.size()), where_ends_(program.pardos.size(), -1) {
  find_changes(program);
  std::int32_t next = 0;
  for (auto pc = static_cast<std::int32_t>(program.code.size()) - 1; pc >= 0; --pc) {
    const Opcode opcode = program.code[at_pc(pc)].opcode;
    if (is_seen(opcode)) next = pc;
    points_[at_pc(pc)].next = next;
    points_[at_pc(pc)].role = role_of(opcode);
    points_[at_pc(pc)].control = program::row_of(opcode).control;
  }
  for (std::size_t k = 0; k < program.code.size(); ++k) {
    const Instruction& instruction = program.code[k];
    const program::OpcodeRow& row = program::row_of(instruction.opcode);
    if ((row.effects & effect::gets) != 0) {
      points_[k].line = static_cast<std::int32_t>(gets_.size());
      gets_.push_back(static_cast<std::int32_t>(k));
    } else if (row.control == Control::loop_begin && row.operands[0] == OperandKind::index) {
      points_[k].is_dull = is_dull_loop(program, static_cast<std::int32_t>(k));
    }
  }
  find_conditions(program);
}

void Outline::find_changes(const Program& program) {
  for (std::size_t k = 0; k < program.code.size(); ++k) {
    const Instruction& instruction = program.code[k];
    program::for_each_operand(program, instruction, [&](const program::Operand& operand) {
      const bool is_int = operand.kind == OperandKind::int_name;
      if (operand.use != program::Use::read && (is_int || operand.kind == OperandKind::scalar))
        changes_.push_back({static_cast<std::int32_t>(k), is_int, operand.id});
    });
  }
}

void Outline::find_conditions(const Program& program) {
  for (std::size_t k = 0; k < program.code.size(); ++k) {
    if (program::row_of(program.code[k].opcode).control != Control::branch) continue;
    const auto pc = static_cast<std::int32_t>(k);
    Point& point = points_[k];
    point.begin = begin_of_value(program, pc);
    point.around = around(program, pc);
    point.condition = condition(program, point.begin, pc);
  }
  for (std::size_t k = 0; k < program.pardos.size(); ++k) {
    if (program.pardos[k].where < 0) continue;
    std::int32_t end = program.pardos[k].where;
    while (program::row_of(program.code[at_pc(end)].opcode).control != Control::where_end) ++end;
    where_ends_[k] = end;
    points_[at_pc(end)].begin = program.pardos[k].where;
    points_[at_pc(end)].condition = condition(program, program.pardos[k].where, end);
  }
}

Outline::Condition Outline::condition(const Program& program, std::int32_t begin,
                                      std::int32_t end) const {
  Condition result = Condition::indexes;
  for (std::int32_t pc = begin; pc < end; ++pc) {
    const Instruction& instruction = program.code[at_pc(pc)];
    if (!Expressions::knows(instruction.opcode)) return Condition::unknown;
    const OperandKind kind = program::row_of(instruction.opcode).operands[0];
    const bool is_int = kind == OperandKind::int_name;
    if ((is_int || kind == OperandKind::scalar) && is_changed(is_int, instruction.a))
      result = Condition::names;
  }
  return result;
}

bool Outline::is_changed(bool is_int, std::int32_t id) const {
  return std::ranges::any_of(
      changes_, [&](const Change& change) { return change.is_int == is_int && change.id == id; });
}

std::span<const Outline::Change> Outline::changes(std::int32_t begin, std::int32_t end) const {
  const auto first = std::ranges::lower_bound(changes_, begin, {}, &Change::pc);
  const auto last = std::ranges::lower_bound(changes_, end, {}, &Change::pc);
  return first < last ? std::span<const Change>(first, last) : std::span<const Change>();
}

}  // namespace blockyard::flow
