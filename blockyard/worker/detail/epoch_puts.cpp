// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/epoch_puts.h"

#include <algorithm>

namespace blockyard::worker::detail {

using program::Opcode;

EpochPuts::EpochPuts(const program::Program& program)
    : program_(program), is_visited_(program.code.size()), is_changed_(program.arrays.size()) {
  procs_.push_back({});
  for (const auto& instruction : program.code)
    if (instruction.opcode == Opcode::call &&
        std::ranges::find(procs_, instruction.a, &Proc::entry) == procs_.end())
      procs_.push_back({instruction.a});
  std::ranges::sort(procs_, {}, &Proc::entry);
}

void EpochPuts::begin(std::int32_t pc, std::span<const std::int32_t> calls) {
  std::ranges::fill(is_visited_, std::uint8_t{0});
  std::ranges::fill(is_changed_, std::uint8_t{0});
  for (Proc& proc : procs_) {
    proc.returns = false;
    proc.callers.clear();
  }
  std::int32_t inside = pc;
  for (std::size_t k = calls.size(); k-- > 0;) {
    add_caller(proc_at(inside), calls[k]);
    inside = calls[k];
  }
  visit(pc);
  while (!to_follow_.empty()) {
    const std::int32_t next = to_follow_.back();
    to_follow_.pop_back();
    follow(next);
  }
}

/// Procs stand one after the other, behind the main program.
EpochPuts::Proc& EpochPuts::proc_at(std::int32_t pc) {
  return *std::prev(std::ranges::upper_bound(procs_, pc, {}, &Proc::entry));
}

void EpochPuts::visit(std::int32_t pc) {
  auto& is_visited = is_visited_[static_cast<std::size_t>(pc)];
  if (is_visited != 0) return;
  is_visited = 1;
  to_follow_.push_back(pc);
}

void EpochPuts::add_caller(Proc& proc, std::int32_t pc) {
  if (std::ranges::find(proc.callers, pc) == proc.callers.end()) proc.callers.push_back(pc);
  if (proc.returns) visit(pc);
}

void EpochPuts::follow(std::int32_t pc) {
  const auto& instruction = program_.code[static_cast<std::size_t>(pc)];
  switch (instruction.opcode) {
    case Opcode::halt:
    case Opcode::stop:
    case Opcode::where_end:
    case Opcode::barrier:
    case Opcode::section_end:
      return;
    case Opcode::jump:
      visit(instruction.a);
      return;
    case Opcode::jump_if_false:
      visit(instruction.a);
      break;
    case Opcode::do_begin:
    case Opcode::do_next:
      visit(instruction.b);
      break;
    case Opcode::pardo_begin:
      visit(instruction.b);
      visit(program_.pardos[static_cast<std::size_t>(instruction.a)].body);
      return;
    case Opcode::pardo_next:
      visit(program_.pardos[static_cast<std::size_t>(instruction.a)].body);
      break;
    case Opcode::call:
      visit(instruction.a);
      add_caller(proc_at(instruction.a), pc + 1);
      return;
    case Opcode::return_: {
      Proc& proc = proc_at(pc);
      proc.returns = true;
      for (const std::int32_t caller : proc.callers) visit(caller);
      return;
    }
    case Opcode::put:
    case Opcode::put_scalar: {
      const auto& selector = program_.selectors[static_cast<std::size_t>(instruction.a)];
      is_changed_[static_cast<std::size_t>(selector.array)] = 1;
      break;
    }
    case Opcode::delete_array:
    case Opcode::restore_array:
      is_changed_[static_cast<std::size_t>(instruction.a)] = 1;
      break;
    default:
      break;
  }
  visit(pc + 1);
}

}  // namespace blockyard::worker::detail
