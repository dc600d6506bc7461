// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/epoch_puts.h"

#include <algorithm>

#include "blockyard/program/flow.h"

namespace blockyard::flow {

using program::Control;
namespace effect = program::effect;

EpochPuts::EpochPuts(const program::Program& program)
    : program_(program),
      procs_(program.procs.size() + 1),
      is_visited_(program.code.size()),
      is_changed_(program.arrays.size()) {}

void EpochPuts::begin(std::int32_t pc, std::span<const std::int32_t> calls) {
  std::ranges::fill(is_visited_, std::uint8_t{0});
  std::ranges::fill(is_changed_, std::uint8_t{0});
  for (Proc& proc : procs_) {
    proc.returns = false;
    proc.callers.clear();
  }
  std::int32_t inside = pc;
  for (std::size_t k = calls.size(); k-- > 0;) {
    add_caller(proc_of(inside), calls[k]);
    inside = calls[k];
  }
  visit(pc);
  while (!to_follow_.empty()) {
    const std::int32_t next = to_follow_.back();
    to_follow_.pop_back();
    follow(next);
  }
}

EpochPuts::Proc& EpochPuts::proc_of(std::int32_t pc) {
  const auto after = std::ranges::upper_bound(program_.procs, pc, {}, &program::ProcDecl::begin);
  return procs_[static_cast<std::size_t>(after - program_.procs.begin())];
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
  const auto& instruction = program::instruction_at(program_, pc);
  const program::OpcodeRow& row = program::row_of(instruction.opcode);
  if ((row.effects & effect::ends_epoch) != 0) return;
  if ((row.effects & (effect::puts | effect::replaces)) != 0) {
    const std::int32_t array =
        program::array_of(program_, {row.operands[0], instruction.a, program::Use::read});
    is_changed_[static_cast<std::size_t>(array)] = 1;
  }
  if (row.control == Control::call) {
    const std::int32_t entry = program::target_of(instruction);
    visit(entry);
    add_caller(proc_of(entry), pc + 1);
  } else if (row.control == Control::return_) {
    Proc& proc = proc_of(pc);
    proc.returns = true;
    for (const std::int32_t caller : proc.callers) visit(caller);
  } else {
    program::for_each_successor(program_, pc, [this](std::int32_t next) { visit(next); });
  }
}

}  // namespace blockyard::flow
