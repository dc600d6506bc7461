// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/liveness.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace blockyard::worker::detail {

using program::ArgumentKind;
using program::Instruction;
using program::Mode;
using program::Opcode;
using program::OperandKind;
using program::Selector;
using program::SelectorForm;

namespace {

template <class Table>
const auto& at(const Table& table, std::int32_t id) {
  return table[static_cast<std::size_t>(id)];
}

OperandKind first_operand(const Instruction& code) {
  return program::row_of(code.opcode).operands[0];
}

bool is_set(std::int32_t mode) { return static_cast<Mode>(mode) == Mode::set; }

/// A statement that writes selector a, and no element of it depends on what was there.
bool overwrites_block(const Instruction& code) {
  if (code.opcode == Opcode::block_fill) return is_set(code.b);
  return (code.opcode == Opcode::block_copy || code.opcode == Opcode::block_product) &&
         (code.c & program::flag_accumulate) == 0;
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
    if (code.opcode == Opcode::call) {
      const Paths inside = paths_of_call(code.a);
      paths.read = paths.read || inside.read;
      if (inside.returns) next.push_back(pc + 1);
    } else if (code.opcode == Opcode::return_) {
      paths.returns = true;
    } else {
      add_successors(program_, pc, next);
    }
  }
  return paths;
}

Liveness::Paths Liveness::paths_of_call(std::int32_t target) {
  // While a procedure is being looked at, a call of it inside reads: it calls itself.
  if (calls_.try_emplace(target, Paths{true, true}).second) calls_[target] = explore(target);
  return calls_[target];
}

void add_successors(const program::Program& program, std::int32_t pc,
                    std::vector<std::int32_t>& next) {
  const Instruction& code = at(program.code, pc);
  const auto add_iteration = [&](std::int32_t id) {
    const program::PardoDecl& pardo = at(program.pardos, id);
    if (pardo.where >= 0) next.push_back(pardo.where);
    next.push_back(pardo.body);
  };
  switch (code.opcode) {
    case Opcode::halt:
    case Opcode::stop:
    case Opcode::where_end:  // its pardo goes on with the body, which add_iteration added
    case Opcode::return_:
      return;
    case Opcode::jump:
      next.push_back(code.a);
      return;
    case Opcode::jump_if_false:
      next.push_back(code.a);
      break;
    case Opcode::do_begin:
    case Opcode::do_next:
      next.push_back(code.b);
      break;
    case Opcode::pardo_begin:
      next.push_back(code.b);
      add_iteration(code.a);
      return;
    case Opcode::pardo_next:
      add_iteration(code.a);
      break;
    default:
      break;
  }
  next.push_back(pc + 1);
}

Liveness::Touch Liveness::touch(std::int32_t pc) const {
  const Instruction& code = at(program_.code, pc);
  switch (variable_.kind) {
    case Variable::Kind::int_name:
      return touch_int(code);
    case Variable::Kind::scalar:
      return touch_scalar(code);
    case Variable::Kind::static_array:
      if (code.opcode == Opcode::do_begin && is_overwriting_nest(pc)) return Touch::overwrite;
      return touch_array(code);
  }
  return Touch::read;
}

Liveness::Touch Liveness::touch_int(const Instruction& code) const {
  if (code.opcode == Opcode::execute)
    return has_argument(code, ArgumentKind::int_name) ? Touch::read : Touch::none;
  if (first_operand(code) != OperandKind::int_name || code.a != variable_.id) return Touch::none;
  return code.opcode == Opcode::store_int && is_set(code.b) ? Touch::overwrite : Touch::read;
}

Liveness::Touch Liveness::touch_scalar(const Instruction& code) const {
  if (code.opcode == Opcode::execute)
    return has_argument(code, ArgumentKind::scalar) ? Touch::read : Touch::none;
  if (first_operand(code) != OperandKind::scalar || code.a != variable_.id) return Touch::none;
  const bool is_overwritten = (code.opcode == Opcode::store_scalar && is_set(code.b)) ||
                              code.opcode == Opcode::restore_scalar;
  return is_overwritten ? Touch::overwrite : Touch::read;
}

bool Liveness::has_argument(const Instruction& code, ArgumentKind kind) const {
  for (std::int32_t k = code.b; k < code.b + code.c; ++k)
    if (const auto& argument = at(program_.arguments, k);
        argument.kind == kind && argument.id == variable_.id)
      return true;
  return false;
}

bool Liveness::mentions_array(const Instruction& code, std::size_t from_operand) const {
  const auto is_ours = [&](std::int32_t selector) {
    return at(program_.selectors, selector).array == variable_.id;
  };
  const std::array<std::int32_t, 3> values{code.a, code.b, code.c};
  for (std::size_t k = from_operand; k < values.size(); ++k) {
    const OperandKind kind = program::row_of(code.opcode).operands[k];
    if (kind == OperandKind::array && values[k] == variable_.id) return true;
    if (kind == OperandKind::selector && is_ours(values[k])) return true;
    if (kind == OperandKind::product &&
        std::ranges::any_of(at(program_.products, values[k]).operands, is_ours))
      return true;
  }
  if (code.opcode != Opcode::execute) return false;
  for (std::int32_t k = code.b; k < code.b + code.c; ++k)
    if (const auto& argument = at(program_.arguments, k);
        argument.kind == ArgumentKind::selector && is_ours(argument.id))
      return true;
  return false;
}

Liveness::Touch Liveness::touch_array(const Instruction& code) const {
  if (!mentions_array(code, 0)) return Touch::none;
  const bool is_overwritten = code.opcode == Opcode::restore_array ||
                              (overwrites_block(code) && !mentions_array(code, 1) &&
                               at(program_.selectors, code.a).form == SelectorForm::whole);
  return is_overwritten ? Touch::overwrite : Touch::read;
}

bool Liveness::is_overwriting_nest(std::int32_t begin) const {
  const std::int32_t end = at(program_.code, begin).b;
  std::int32_t pc = begin;
  std::vector<std::int32_t> loops;
  for (; pc < end && at(program_.code, pc).opcode == Opcode::do_begin; ++pc)
    loops.push_back(at(program_.code, pc).a);
  // Nothing but expressions may stand before the block is overwritten: every block is.
  const auto is_expression = [&](const Instruction& code) {
    return code.opcode >= Opcode::push_int && code.opcode <= Opcode::exists;
  };
  while (pc < end && is_expression(at(program_.code, pc)) &&
         !mentions_array(at(program_.code, pc), 0))
    ++pc;
  if (pc >= end || !overwrites_block(at(program_.code, pc)) ||
      mentions_array(at(program_.code, pc), 1))
    return false;
  const Selector& block = at(program_.selectors, at(program_.code, pc).a);
  if (block.array != variable_.id || !covers_array(loops, block)) return false;
  // And afterwards nobody in the nest may look at blocks that are still to come.
  for (++pc; pc < end; ++pc) {
    const Opcode opcode = at(program_.code, pc).opcode;
    if (opcode == Opcode::call || opcode == Opcode::do_leave || opcode == Opcode::return_ ||
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

}  // namespace blockyard::worker::detail
