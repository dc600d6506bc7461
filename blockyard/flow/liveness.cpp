// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/liveness.h"

#include <algorithm>
#include <unordered_set>

#include "blockyard/program/flow.h"

namespace blockyard::flow {

using program::Control;
using program::Instruction;
using program::Operand;
using program::OperandKind;
using program::Selector;
using program::SelectorForm;
using program::Use;

namespace {

template <class Table>
const auto& at(const Table& table, std::int32_t id) {
  return table[static_cast<std::size_t>(id)];
}

bool begins_do(const Instruction& code) {
  const program::OpcodeRow& row = program::row_of(code.opcode);
  return row.control == Control::loop_begin && row.operands[0] == OperandKind::index;
}

/// A statement that writes selector a, and no element of it depends on what was there.
bool overwrites_block(const Instruction& code) {
  return program::row_of(code.opcode).operands[0] == OperandKind::selector &&
         program::use_of_a(code) == Use::write;
}

}  // namespace

bool Liveness::is_live(std::int32_t pc, std::span<const std::int32_t> calls) {
  Paths paths = explore(pc);
  for (std::size_t k = calls.size(); k-- > 0 && !paths.read && paths.returns;)
    paths = explore(calls[k]);
  return paths.read;
}

Liveness::Paths Liveness::explore(std::int32_t begin) {
  Paths paths;
  std::unordered_set<std::int32_t> seen;
  std::vector<std::int32_t> next{begin};
  while (!next.empty() && !paths.read) {
    const std::int32_t pc = next.back();
    next.pop_back();
    if (!seen.insert(pc).second) continue;
    const Instruction& code = at(program_.code, pc);
    const Touch touched = touch(pc);
    if (touched == Touch::read) paths.read = true;
    if (touched != Touch::none) continue;
    const Control control = program::row_of(code.opcode).control;
    bool goes_on = true;
    if (control == Control::call) {
      const Paths inside = paths_of_call(program::target_of(code));
      paths.read = paths.read || inside.read;
      goes_on = inside.returns;
    } else if (control == Control::return_) {
      paths.returns = true;
    }
    if (goes_on)
      program::for_each_successor(program_, pc, [&](std::int32_t after) { next.push_back(after); });
  }
  return paths;
}

Liveness::Paths Liveness::paths_of_call(std::int32_t target) {
  // While a procedure is being looked at, a call of it inside reads: it calls itself.
  if (calls_.try_emplace(target, Paths{true, true}).second) calls_[target] = explore(target);
  return calls_[target];
}

Liveness::Touch Liveness::touch(std::int32_t pc) const {
  const Instruction& code = at(program_.code, pc);
  const bool is_array = variable_.kind == Variable::Kind::static_array;
  if (is_array && begins_do(code) && is_overwriting_nest(pc)) return Touch::overwrite;
  Touch found = Touch::none;
  program::for_each_operand(program_, code, [&](const Operand& operand) {
    if (!is_ours(operand) || found == Touch::read) return;
    const bool is_whole = !is_array || operand.kind == OperandKind::array ||
                          at(program_.selectors, operand.id).form == SelectorForm::whole;
    found = operand.use == Use::write && is_whole ? Touch::overwrite : Touch::read;
  });
  return found;
}

bool Liveness::is_ours(const Operand& operand) const {
  switch (variable_.kind) {
    case Variable::Kind::int_name:
      return operand.kind == OperandKind::int_name && operand.id == variable_.id;
    case Variable::Kind::scalar:
      return operand.kind == OperandKind::scalar && operand.id == variable_.id;
    case Variable::Kind::static_array:
      return program::array_of(program_, operand) == variable_.id;
  }
  return true;
}

bool Liveness::mentions_array(const Instruction& code, int beyond) const {
  int mentioned = 0;
  program::for_each_operand(program_, code,
                            [&](const Operand& operand) { mentioned += is_ours(operand) ? 1 : 0; });
  return mentioned > beyond;
}

bool Liveness::is_overwriting_nest(std::int32_t begin) const {
  const std::int32_t end = program::target_of(at(program_.code, begin));
  std::int32_t pc = begin;
  std::vector<std::int32_t> loops;
  for (; pc < end && begins_do(at(program_.code, pc)); ++pc)
    loops.push_back(at(program_.code, pc).a);
  // Nothing but expressions may stand before the block is overwritten: every block is.
  while (pc < end && program::is_expression(at(program_.code, pc).opcode) &&
         !mentions_array(at(program_.code, pc), 0))
    ++pc;
  if (pc >= end || !overwrites_block(at(program_.code, pc)) ||
      mentions_array(at(program_.code, pc), 1))
    return false;
  const Selector& block = at(program_.selectors, at(program_.code, pc).a);
  if (block.array != variable_.id || !covers_array(loops, block)) return false;
  // After that, nothing in the nest may look at blocks that are still to come, or leave it early.
  for (++pc; pc < end; ++pc) {
    const Control control = program::row_of(at(program_.code, pc).opcode).control;
    if (control == Control::call || control == Control::loop_leave || control == Control::return_ ||
        mentions_array(at(program_.code, pc), 0))
      return false;
  }
  return true;
}

bool Liveness::covers_array(std::span<const std::int32_t> loops, const Selector& selector) const {
  const auto& declared = at(program_.arrays, variable_.id).indexes;
  if (selector.form != SelectorForm::block || loops.size() != declared.size()) return false;
  for (std::size_t k = 0; k < declared.size(); ++k) {
    const std::int32_t index = selector.indexes[k];
    const auto& named = at(program_.indexes, index);
    const auto& of_array = at(program_.indexes, declared[k]);
    if (std::ranges::count(loops, index) != 1 || std::ranges::count(selector.indexes, index) != 1)
      return false;
    if (named.kind != of_array.kind || named.parent >= 0 || of_array.parent >= 0 ||
        named.first != of_array.first || named.last != of_array.last)
      return false;
  }
  return true;
}

}  // namespace blockyard::flow
