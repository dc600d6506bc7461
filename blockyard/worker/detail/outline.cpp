// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/outline.h"

#include <algorithm>

#include "blockyard/worker/detail/expressions.h"

namespace blockyard::worker::detail {

using program::Instruction;
using program::Opcode;
using program::Program;

namespace {

/// Instructions that open, close or cross something, or name a block to get.
bool is_seen(Opcode opcode) {
  using enum Opcode;
  switch (opcode) {
    case section_begin:
    case gpu_begin:
    case gpu_end:
    case where_end:
      return false;
    case get:
    case store_int:
    case store_scalar:
    case collective_sum:
    case assert_same:
    case restore_scalar:
    case execute:
    case delete_array:
    case restore_array:
      return true;
    default:
      return opcode < push_int;
  }
}

/// Instructions for which a do loop cannot be passed over.
bool is_of_interest(Opcode opcode) {
  using enum Opcode;
  switch (opcode) {
    case jump:
    case jump_if_false:
    case do_begin:
    case do_next:
    case do_leave:
    case store_int:
    case store_scalar:
    case collective_sum:
    case assert_same:
    case restore_scalar:
    case execute:
      return false;
    default:
      return is_seen(opcode);
  }
}

std::size_t at_pc(std::int32_t pc) { return static_cast<std::size_t>(pc); }

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
  const std::int32_t target = program.code[at_pc(pc)].a;
  if (target <= pc + 1) return pc + 1;
  const Instruction& before = program.code[at_pc(target - 1)];
  const bool has_else = before.opcode == Opcode::jump && before.a > target &&
                        program.code[at_pc(target - 2)].opcode != Opcode::do_leave &&
                        program.code[at_pc(target - 2)].opcode != Opcode::pardo_leave;
  return has_else ? before.a : target;
}

}  // namespace

Outline::Outline(const Program& program)
    : points_(program.code.size()), where_ends_(program.pardos.size(), -1) {
  find_changes(program);
  std::int32_t next = 0;
  for (auto pc = static_cast<std::int32_t>(program.code.size()) - 1; pc >= 0; --pc) {
    if (is_seen(program.code[at_pc(pc)].opcode)) next = pc;
    points_[at_pc(pc)].next = next;
  }
  for (std::size_t k = 0; k < program.code.size(); ++k) {
    const Instruction& instruction = program.code[k];
    if (instruction.opcode == Opcode::get) {
      points_[k].line = static_cast<std::int32_t>(gets_.size());
      gets_.push_back(static_cast<std::int32_t>(k));
    } else if (instruction.opcode == Opcode::do_begin) {
      points_[k].is_dull = std::none_of(
          program.code.begin() + static_cast<std::ptrdiff_t>(k) + 1,
          program.code.begin() +
              std::max<std::ptrdiff_t>(instruction.b, static_cast<std::ptrdiff_t>(k) + 1),
          [](const Instruction& inside) { return is_of_interest(inside.opcode); });
    }
  }
  find_conditions(program);
}

void Outline::find_changes(const Program& program) {
  for (std::size_t k = 0; k < program.code.size(); ++k) {
    const Instruction& instruction = program.code[k];
    const auto pc = static_cast<std::int32_t>(k);
    switch (instruction.opcode) {
      case Opcode::store_int:
        changes_.push_back({pc, true, instruction.a});
        break;
      case Opcode::store_scalar:
      case Opcode::collective_sum:
      case Opcode::assert_same:
      case Opcode::restore_scalar:
        changes_.push_back({pc, false, instruction.a});
        break;
      case Opcode::execute:
        for (std::int32_t n = 0; n < instruction.c; ++n) {
          const auto& argument = program.arguments[at_pc(instruction.b + n)];
          if (argument.kind == program::ArgumentKind::scalar ||
              argument.kind == program::ArgumentKind::int_name)
            changes_.push_back({pc, argument.kind == program::ArgumentKind::int_name, argument.id});
        }
        break;
      default:
        break;
    }
  }
}

void Outline::find_conditions(const Program& program) {
  for (std::size_t k = 0; k < program.code.size(); ++k) {
    if (program.code[k].opcode != Opcode::jump_if_false) continue;
    const auto pc = static_cast<std::int32_t>(k);
    Point& point = points_[k];
    point.begin = begin_of_value(program, pc);
    point.around = around(program, pc);
    point.condition = condition(program, point.begin, pc);
  }
  for (std::size_t k = 0; k < program.pardos.size(); ++k) {
    if (program.pardos[k].where < 0) continue;
    std::int32_t end = program.pardos[k].where;
    while (program.code[at_pc(end)].opcode != Opcode::where_end) ++end;
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
    const bool is_int = instruction.opcode == Opcode::push_int_name;
    if ((is_int || instruction.opcode == Opcode::push_scalar) && is_changed(is_int, instruction.a))
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

}  // namespace blockyard::worker::detail
