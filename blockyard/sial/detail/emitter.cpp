// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/detail/emitter.h"

#include <map>
#include <set>

#include "blockyard/sial/detail/types.h"
#include "blockyard/sial/emit.h"

namespace blockyard::sial {

program::Program emit(const checked::Unit& unit) { return detail::Emitter(unit).run(); }

namespace detail {

using program::Mode;

program::Program Emitter::run() {
  program_.name = unit_.name;
  program_.files = unit_.files;
  body(unit_.body);
  emit(O::halt);
  std::vector<Pc> entries(unit_.procs.size(), 0);
  for (std::size_t k = 0; k < unit_.procs.size(); ++k) {
    const auto& proc = unit_.procs[k];
    if (!proc.is_reachable) continue;
    entries[k] = here();
    line_ = {proc.at.file, proc.at.line};
    body(proc.body);
    emit(O::return_);
    program_.procs.push_back({entries[k], here()});
  }
  for (const auto& [instruction, proc] : calls_) aim(instruction, entries[proc]);
  program_.unused = unused_constants();
  return std::move(program_);
}

std::vector<std::string> Emitter::unused_constants() const {
  std::set<std::string> names;
  const auto look = [](const auto& list, const auto& change) {
    for (const auto& one : list)
      if (one.is_predefined) change(one.name);
  };
  const auto add = [&](const std::string& name) { names.insert(name); };
  const auto remove = [&](const std::string& name) { names.erase(name); };
  look(unit_.ints, add);
  look(unit_.scalars, add);
  look(program_.ints, remove);
  look(program_.scalars, remove);
  return {names.begin(), names.end()};
}

Emitter::Pc Emitter::emit(O opcode, std::int32_t a, std::int32_t b, std::int32_t c) {
  program_.code.push_back({opcode, a, b, c});
  program_.lines.push_back(line_);
  if (!program::is_expression(opcode) && opcode != O::bind_region) regions_ = 0;
  return here() - 1;
}

/// Sets the target of a jump, call or loop begin.
void Emitter::aim(Pc instruction, Pc target) {
  auto& entry = program_.code[static_cast<std::size_t>(instruction)];
  const auto& operands = program::row_of(entry.opcode).operands;
  (operands[0] == program::OperandKind::target ? entry.a : entry.b) = target;
}

void Emitter::body(const checked::Body& body) {
  for (const auto& statement : body) {
    line_ = {statement.at.file, statement.at.line};
    std::visit([this](const auto& what) { put(what); }, statement.what);
    tables_.release_hidden();
  }
}

void Emitter::put(const checked::Barrier&) { emit(O::barrier); }

void Emitter::put(const checked::StoreInt& what) {
  value(what.value);
  emit(O::store_int, tables_.int_name(what.id), static_cast<std::int32_t>(what.mode));
}

void Emitter::put(const checked::StoreScalar& what) {
  value(what.value);
  emit(O::store_scalar, tables_.scalar(what.id), static_cast<std::int32_t>(what.mode));
}

void Emitter::put(const checked::Fill& what) {
  value(what.value);
  emit(O::block_fill, bound(what.target), static_cast<std::int32_t>(what.mode));
}

void Emitter::put(const checked::Update& what) { terms_into(what.target, what.mode, what.terms); }

void Emitter::put(const checked::Get& what) { emit(O::get, tables_.selector(what.block.selector)); }

void Emitter::put(const checked::Put& what) {
  const auto mode = static_cast<std::int32_t>(what.mode);
  const std::int32_t target = tables_.selector(what.target.selector);
  if (is_put_directly(what.target, what.terms)) {
    emit(O::put, target, tables_.selector(what.terms.front().operands.front().block.selector),
         mode);
    return;
  }
  const std::int32_t temp = tables_.hidden(
      names_of(what.target), type_of(unit_.arrays, what.target.selector), what.target.at);
  bool is_first = true;
  for (const auto& term : what.terms) {
    term_into(temp, nullptr, term, !is_first, term.is_negative);
    is_first = false;
  }
  emit(O::put, target, temp, mode);
}

void Emitter::put(const checked::PutScalar& what) {
  value(what.value);
  Mode mode = what.mode;
  if (mode == Mode::subtract) {
    emit(O::negate, what.value.type == checked::Type::complex ? 1 : 0);
    mode = Mode::add;
  }
  emit(O::put_scalar, tables_.selector(what.target.selector), static_cast<std::int32_t>(mode));
}

void Emitter::put(const checked::Allocate& what) {
  const std::int32_t selector = bound(what.blocks);
  if (what.blocks.selector.form == program::SelectorForm::region)
    emit(what.is_removal ? O::deallocate_region : O::allocate_region, selector);
  else
    emit(what.is_removal ? O::deallocate : O::allocate, selector);
}

void Emitter::put(const checked::ArrayWide& what) {
  emit(what.is_removal ? O::delete_array : O::create_array, tables_.array(what.array));
}

void Emitter::put(const checked::Execute& what) {
  const auto special = tables_.special(what.special);
  std::vector<program::Argument> arguments;
  for (const auto& argument : what.arguments) {
    program::Argument entry{argument.kind, 0};
    switch (argument.kind) {
      case program::ArgumentKind::selector:
        entry.id = bound(argument.block.front());
        break;
      case program::ArgumentKind::scalar:
        entry.id = tables_.scalar(argument.id);
        break;
      case program::ArgumentKind::int_name:
        entry.id = tables_.int_name(argument.id);
        break;
      case program::ArgumentKind::literal:
        entry.id = tables_.literal(argument.literal);
        break;
    }
    arguments.push_back(entry);
  }
  const auto first = static_cast<std::int32_t>(program_.arguments.size());
  program_.arguments.insert(program_.arguments.end(), arguments.begin(), arguments.end());
  emit(O::execute, special, first, static_cast<std::int32_t>(arguments.size()));
}

void Emitter::put(const checked::Collective& what) {
  value(what.value);
  emit(O::collective_sum, tables_.scalar(what.scalar));
}

void Emitter::put(const checked::AssertSame& what) {
  emit(O::assert_same, tables_.scalar(what.scalar));
}

void Emitter::put(const checked::Broadcast& what) {
  value(what.worker);
  emit(O::broadcast, tables_.array(what.array));
}

void Emitter::put(const checked::Persist& what) {
  const std::int32_t label = tables_.text(what.label);
  if (what.is_array)
    emit(what.is_restore ? O::restore_array : O::persist_array, tables_.array(what.id), label);
  else
    emit(what.is_restore ? O::restore_scalar : O::persist_scalar, tables_.scalar(what.id), label);
}

void Emitter::put(const checked::Print& what) {
  using checked::PrintKind;
  switch (what.kind) {
    case PrintKind::text:
      emit(O::print_text, tables_.text(what.text), what.newlines);
      break;
    case PrintKind::int_name:
      emit(O::print_int_name, tables_.int_name(what.id), what.newlines);
      break;
    case PrintKind::scalar:
      emit(O::print_scalar, tables_.scalar(what.id), what.newlines);
      break;
    case PrintKind::index:
      emit(O::print_index, tables_.index(what.id), what.newlines);
      break;
    case PrintKind::array:
      emit(O::print_array, tables_.array(what.id), what.newlines);
      break;
    case PrintKind::block:
      emit(O::print_block, bound(what.block.front()), what.newlines);
      break;
    case PrintKind::int_:
    case PrintKind::value:
      value(what.value.front());
      if (what.kind == PrintKind::int_)
        emit(O::print_int, what.newlines);
      else
        emit(O::print_value, what.newlines,
             what.value.front().type == checked::Type::complex ? 1 : 0);
      break;
  }
}

}  // namespace detail
}  // namespace blockyard::sial
