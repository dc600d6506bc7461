// SPDX-License-Identifier: Apache-2.0
#include "blockyard/plan/trips.h"

#include <algorithm>

#include "blockyard/program/flow.h"

namespace blockyard::plan {

using program::Control;
using program::Instruction;

Trips::Trips(const program::Program& program, const flow::Tables& tables, int iterations)
    : program_(program), tables_(tables), iterations_(iterations) {
  bool is_plain = true;
  all_ = walk(0, program::proc_at(program, 0).end, is_plain);
}

double Trips::of_body(std::int32_t pc) const {
  const auto found = loops_.find(pc);
  return found == loops_.end() ? 1 : found->second.body;
}

bool Trips::is_plain(std::int32_t pc) const {
  const auto found = loops_.find(pc);
  return found != loops_.end() && found->second.is_plain;
}

double Trips::values_of(std::int32_t index) const {
  const auto& decl = program_.indexes[static_cast<std::size_t>(index)];
  if (decl.parent < 0) {
    const auto& range = tables_.indexes[static_cast<std::size_t>(index)];
    return static_cast<double>(std::max<std::int64_t>(0, range.last - range.first + 1));
  }
  return static_cast<double>(tables_.subsegments[static_cast<std::size_t>(decl.kind)].most());
}

double Trips::settings_of(const program::PardoDecl& pardo) const {
  double settings = 1;
  for (const std::int32_t index : pardo.indexes) settings *= values_of(index);
  return settings;
}

double Trips::walk(std::int32_t begin, std::int32_t end, bool& is_plain) {
  double steps = 0;
  for (std::int32_t pc = begin; pc < end; ++pc) {
    const Instruction& instruction = program_.code[static_cast<std::size_t>(pc)];
    ++steps;
    const program::OpcodeRow& row = program::row_of(instruction.opcode);
    if (row.control == Control::loop_begin) {
      const std::int32_t after = program::target_of(instruction);
      const program::PardoDecl* pardo = program::pardo_of(program_, instruction);
      Loop loop;
      loop.body = walk(pc + 1, after, loop.is_plain);
      steps += loop.body * (pardo != nullptr ? settings_of(*pardo)
                            : loop.is_plain  ? values_of(instruction.a)
                                             : std::min(values_of(instruction.a), iterations_));
      is_plain = is_plain && loop.is_plain && pardo == nullptr;
      loops_[pc] = loop;
      pc = std::max(pc, after - 1);
    } else if (row.control == Control::call) {
      const std::int32_t entry = program::target_of(instruction);
      const auto [found, is_new] = procs_.try_emplace(entry);
      Loop& proc = found->second;  // of a recursion: counted once
      if (is_new) proc.body = walk(entry, program::proc_at(program_, entry).end, proc.is_plain);
      steps += proc.body;
      is_plain = is_plain && proc.is_plain;
    } else if (row.control == Control::loop_leave || (row.effects & program::effect::meets) != 0) {
      is_plain = false;
    }
  }
  return steps;
}

}  // namespace blockyard::plan
