// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/conditions.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "blockyard/program/flow.h"

namespace blockyard::flow {
namespace {

using program::Instruction;
using program::Opcode;
using program::Operand;
using program::OperandKind;
using program::Program;
using program::Use;

/// The names a condition reads besides indexes, or an instruction may change: the kind int_name,
/// scalar or array, and its entry.
using Name = std::pair<OperandKind, std::int32_t>;

struct Span {
  std::int32_t first = 0;
  std::int32_t end = 0;
};

Name name_of(const Program& program, const Operand& operand) {
  const std::int32_t array = program::array_of(program, operand);
  return array >= 0 ? Name{OperandKind::array, array} : Name{operand.kind, operand.id};
}

/// What the instructions may change; unknown if they call a procedure.
struct Changes {
  std::vector<Name> names;
  bool are_known = true;
};

Changes changes_in(const Program& program, Span body) {
  Changes changes;
  for (std::int32_t pc = body.first; pc < body.end; ++pc) {
    const Instruction& instruction = program::instruction_at(program, pc);
    const program::OpcodeRow& row = program::row_of(instruction.opcode);
    if (row.control == program::Control::call) changes.are_known = false;
    const bool replaces = (row.effects & program::effect::replaces) != 0;
    program::for_each_operand(program, instruction, [&](const Operand& operand) {
      if (replaces || operand.use != Use::read) changes.names.push_back(name_of(program, operand));
    });
  }
  return changes;
}

/// Whether a condition may have the instruction and be fixed.
bool is_fixed(const Program& program, const Instruction& instruction, const Changes& changes) {
  // A product is not computed for each setting only to sort settings out.
  bool result = program::row_of(instruction.opcode).operands[0] != OperandKind::product;
  program::for_each_operand(program, instruction, [&](const Operand& operand) {
    if (operand.kind == OperandKind::index) return;
    const Name name = name_of(program, operand);
    const bool may_be_fixed =
        name.first != OperandKind::array ||
        program.arrays[static_cast<std::size_t>(name.second)].kind == program::ArrayKind::static_;
    result =
        result && may_be_fixed && changes.are_known && std::ranges::count(changes.names, name) == 0;
  });
  return result;
}

/// Where the conditions stand that where code joins by `and`, from its pc to its where_end.
std::vector<Span> parts_of(const Program& program, std::int32_t where) {
  struct Value {
    std::int32_t first = 0;
    std::vector<Span> parts;
  };
  std::vector<Value> stack;
  for (std::int32_t pc = where;; ++pc) {
    const Opcode opcode = program::instruction_at(program, pc).opcode;
    const program::OpcodeRow& row = program::row_of(opcode);
    if (row.control == program::Control::where_end) return std::move(stack.back().parts);
    if (opcode == Opcode::and_) {
      const Value last = std::move(stack.back());
      stack.pop_back();
      auto& parts = stack.back().parts;
      parts.insert(parts.end(), last.parts.begin(), last.parts.end());
      continue;
    }
    Value value{pc, {}};
    for (std::size_t k = 0; k < row.pops.size(); ++k) {
      value.first = stack.back().first;
      stack.pop_back();
    }
    value.parts = {{value.first, pc + 1}};
    stack.push_back(std::move(value));
  }
}

std::vector<std::size_t> places_of(const Program& program, const program::PardoDecl& pardo,
                                   Span part) {
  std::vector<std::size_t> places;
  const auto note = [&](std::int32_t index) {
    const auto at = std::ranges::find(pardo.indexes, index);
    if (at != pardo.indexes.end())
      places.push_back(static_cast<std::size_t>(at - pardo.indexes.begin()));
  };
  for (std::int32_t pc = part.first; pc < part.end; ++pc)
    program::for_each_operand(
        program, program::instruction_at(program, pc), [&](const Operand& operand) {
          if (operand.kind == OperandKind::index) note(operand.id);
          if (operand.kind == OperandKind::selector)
            for (const std::int32_t index :
                 program.selectors[static_cast<std::size_t>(operand.id)].indexes)
              note(index);
        });
  std::ranges::sort(places);
  places.erase(std::ranges::unique(places).begin(), places.end());
  return places;
}

}  // namespace

FixedConditions fixed_conditions(const Program& program, const program::PardoDecl& pardo) {
  if (pardo.where < 0) return {{}, true};
  const Instruction& begin = program::instruction_at(program, pardo.where - 1);
  const Changes changes = changes_in(program, {pardo.body, program::target_of(begin)});
  const auto parts = parts_of(program, pardo.where);
  FixedConditions result;
  for (const Span part : parts) {
    const auto code = std::span(program.code)
                          .subspan(static_cast<std::size_t>(part.first),
                                   static_cast<std::size_t>(part.end - part.first));
    if (std::ranges::all_of(
            code, [&](const Instruction& one) { return is_fixed(program, one, changes); }))
      result.conditions.push_back({part.first, part.end, places_of(program, pardo, part)});
  }
  result.are_all = result.conditions.size() == parts.size();
  return result;
}

}  // namespace blockyard::flow
