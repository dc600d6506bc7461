// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/plan/trips.h"

#include <algorithm>

namespace blockyard::job {

using program::Instruction;
using program::Opcode;

Trips::Trips(const program::Program& program, const worker::Tables& tables, int iterations)
    : program_(program), tables_(tables), iterations_(iterations) {
  const auto halt = std::ranges::find(program.code, Opcode::halt, &Instruction::opcode);
  bool is_plain = true;
  all_ = walk(0, static_cast<std::int32_t>(halt - program.code.begin()), is_plain);
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
    switch (instruction.opcode) {
      case Opcode::do_begin: {
        Loop loop;
        loop.body = walk(pc + 1, instruction.b, loop.is_plain);
        const double times = loop.is_plain ? values_of(instruction.a)
                                           : std::min(values_of(instruction.a), iterations_);
        steps += times * loop.body;
        is_plain = is_plain && loop.is_plain;
        loops_[pc] = loop;
        pc = std::max(pc, instruction.b - 1);
        break;
      }
      case Opcode::pardo_begin: {
        Loop loop;
        loop.body = walk(pc + 1, instruction.b, loop.is_plain);
        steps += settings_of(program_.pardos[static_cast<std::size_t>(instruction.a)]) * loop.body;
        is_plain = false;
        loops_[pc] = loop;
        pc = std::max(pc, instruction.b - 1);
        break;
      }
      case Opcode::call: {
        const auto [found, is_new] = procs_.try_emplace(instruction.a);
        Loop& proc = found->second;  // of a recursion: counted once
        if (is_new) proc.body = walk(instruction.a, end_of_proc(instruction.a), proc.is_plain);
        steps += proc.body;
        is_plain = is_plain && proc.is_plain;
        break;
      }
      case Opcode::barrier:
      case Opcode::section_end:
      case Opcode::collective_sum:
      case Opcode::do_leave:
      case Opcode::pardo_leave:
        is_plain = false;
        break;
      default:
        break;
    }
  }
  return steps;
}

/// Procs stand one after the other behind halt; each ends with a return.
std::int32_t Trips::end_of_proc(std::int32_t begin) const {
  auto end = static_cast<std::int32_t>(program_.code.size());
  for (const Instruction& instruction : program_.code)
    if (instruction.opcode == Opcode::call && instruction.a > begin)
      end = std::min(end, instruction.a);
  return end - 1;
}

}  // namespace blockyard::job
