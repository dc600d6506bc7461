// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/liveness.h"

namespace blockyard::worker::detail {

using program::ArgumentKind;
using program::Instruction;
using program::Opcode;
using program::Program;

namespace {

class Collector {
 public:
  explicit Collector(const Program& program) : program_(program), seen_(program.code.size()) {
    writes.ints.resize(program.ints.size());
    writes.scalars.resize(program.scalars.size());
    writes.arrays.resize(program.arrays.size());
  }

  /// Instructions begin .. end - 1, and procedures that they call.
  void collect(std::size_t begin, std::size_t end) {
    for (std::size_t pc = begin; pc < end; ++pc) (void)take(pc);
  }

  PardoWrites writes;

 private:
  /// False if the instruction was there before.
  bool take(std::size_t pc) {
    if (seen_[pc]) return false;
    seen_[pc] = true;
    const Instruction& code = program_.code[pc];
    add(code);
    if (code.opcode == Opcode::call) collect_procedure(code.a);
    return true;
  }

  void collect_procedure(std::int32_t begin) {
    std::vector<std::int32_t> next{begin};
    while (!next.empty()) {
      const std::int32_t pc = next.back();
      next.pop_back();
      if (take(static_cast<std::size_t>(pc))) add_successors(program_, pc, next);
    }
  }

  void add(const Instruction& code) {
    const auto a = static_cast<std::size_t>(code.a);
    switch (code.opcode) {
      case Opcode::store_int:
        writes.ints[a] = true;
        return;
      case Opcode::store_scalar:
      case Opcode::collective_sum:
      case Opcode::restore_scalar:
        writes.scalars[a] = true;
        return;
      case Opcode::block_fill:
      case Opcode::block_copy:
      case Opcode::block_product:
      case Opcode::allocate:
      case Opcode::allocate_region:
        add_selector(code.a);
        return;
      case Opcode::execute:
        add_arguments(code);
        return;
      default:
        return;
    }
  }

  void add_selector(std::int32_t selector) {
    const auto& selected = program_.selectors[static_cast<std::size_t>(selector)];
    writes.arrays[static_cast<std::size_t>(selected.array)] = true;
  }

  void add_arguments(const Instruction& code) {
    const std::string& access = program_.specials[static_cast<std::size_t>(code.a)].signature;
    for (std::int32_t k = 0; k < code.c; ++k) {
      const auto& argument = program_.arguments[static_cast<std::size_t>(code.b + k)];
      if (static_cast<std::size_t>(k) < access.size() && access[static_cast<std::size_t>(k)] == 'r')
        continue;
      if (argument.kind == ArgumentKind::selector) add_selector(argument.id);
      if (argument.kind == ArgumentKind::scalar)
        writes.scalars[static_cast<std::size_t>(argument.id)] = true;
    }
  }

  const Program& program_;
  std::vector<bool> seen_;
};

}  // namespace

PardoWrites pardo_writes(const Program& program) {
  Collector collector(program);
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    const Instruction& code = program.code[pc];
    if (code.opcode != Opcode::pardo_begin) continue;
    const auto& pardo = program.pardos[static_cast<std::size_t>(code.a)];
    if (pardo.policy != program::Policy::every_worker)
      collector.collect(pc + 1, static_cast<std::size_t>(code.b));
  }
  return collector.writes;
}

}  // namespace blockyard::worker::detail
