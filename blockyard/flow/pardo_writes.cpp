// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/liveness.h"

namespace blockyard::flow {

using program::Control;
using program::Instruction;
using program::Operand;
using program::OperandKind;
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
    if (program::row_of(code.opcode).control == Control::call)
      collect_procedure(program::target_of(code));
    return true;
  }

  void collect_procedure(std::int32_t begin) {
    std::vector<std::int32_t> next{begin};
    while (!next.empty()) {
      const std::int32_t pc = next.back();
      next.pop_back();
      if (take(static_cast<std::size_t>(pc)))
        program::for_each_successor(program_, pc,
                                    [&](std::int32_t after) { next.push_back(after); });
    }
  }

  void add(const Instruction& code) {
    program::for_each_operand(program_, code, [this](const Operand& operand) {
      if (operand.use == program::Use::read) return;
      const auto id = static_cast<std::size_t>(operand.id);
      if (operand.kind == OperandKind::int_name) writes.ints[id] = true;
      if (operand.kind == OperandKind::scalar) writes.scalars[id] = true;
      if (const std::int32_t array = program::array_of(program_, operand); array >= 0)
        writes.arrays[static_cast<std::size_t>(array)] = true;
    });
  }

  const Program& program_;
  std::vector<bool> seen_;
};

}  // namespace

PardoWrites pardo_writes(const Program& program) {
  Collector collector(program);
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    const Instruction& code = program.code[pc];
    const program::PardoDecl* pardo = program::pardo_of(program, code);
    if (pardo == nullptr || program::row_of(code.opcode).control != Control::loop_begin) continue;
    if (pardo->policy != program::Policy::every_worker)
      collector.collect(pc + 1, static_cast<std::size_t>(program::target_of(code)));
  }
  return collector.writes;
}

}  // namespace blockyard::flow
