// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/upcoming.h"

#include <algorithm>

#include "blockyard/base/error.h"
#include "blockyard/program/flow.h"

namespace blockyard::flow {

namespace {
/// Settings that are tried for the next iteration of a pardo, and some for each worker among which
/// the iterations are dealt: all of a pardo that is too small for a sieve. The sieve of another one
/// is made when it begins; until then, few iterations among many settings are a wall.
constexpr int most_tried = 1024;
}  // namespace

using program::Control;
using program::Instruction;
using program::OperandKind;
using program::Policy;

Upcoming::Upcoming(const Naming& naming, const Outline& outline, const Sharing& sharing,
                   const std::vector<std::int64_t>& ints, const std::vector<Number>& scalars)
    : naming_(naming),
      outline_(outline),
      sharing_(sharing),
      loops_(naming),
      expressions_(naming, loops_.values(), ints, scalars),
      int_changed_(ints.size()),
      scalar_changed_(scalars.size()) {
  calls_.reserve(program::max_calls);
}

void Upcoming::restart(std::int32_t pc, const LoopNest& loops, std::int64_t chunk,
                       std::span<const std::int32_t> calls) {
  pc_ = pc;
  loops_.assign(loops);
  calls_.assign(calls.begin(), calls.end());
  std::ranges::fill(int_changed_, std::uint8_t{0});
  std::ranges::fill(scalar_changed_, std::uint8_t{0});
  chunk_number_ = chunk;
  is_certain_ = true;
  is_lost_ = false;
}

void Upcoming::take_chunk(std::int64_t first, std::int64_t last) noexcept {
  loops_.innermost().iterations.take_chunk(first, last);
  ++chunk_number_;
}

Upcoming::Step Upcoming::next(Coming& coming, int& budget) {
  while (budget-- > 0) {
    if (is_lost_) return Step::wall;
    const Step step = see(coming);
    if (step != Step::paused) return step;
  }
  return Step::paused;
}

/// One instruction; `paused` to go on.
Upcoming::Step Upcoming::see(Coming& coming) {
  pc_ = outline_.at(pc_).next;
  const Instruction& instruction = naming_.program.code[static_cast<std::size_t>(pc_)];
  switch (outline_.at(pc_).role) {
    case Outline::Role::get: {
      const auto& selector = naming_.program.selectors[static_cast<std::size_t>(instruction.a)];
      const auto block = block_of(naming_.program, naming_.tables, selector, loops_.values());
      coming.pc = pc_++;
      if (!block) return Step::paused;
      coming.block = *block;
      coming.is_certain = is_certain_;
      const OpenLoop* const pardo = loops_.pardo();
      coming.iteration = pardo == nullptr ? 0 : pardo->iteration();
      return Step::found;
    }
    case Outline::Role::change:
      note_changes(pc_, pc_ + 1);
      ++pc_;
      return Step::paused;
    case Outline::Role::flow:
      return follow(instruction);
    case Outline::Role::wall:
      break;
  }
  return Step::wall;
}

/// Goes where control goes after the instruction.
Upcoming::Step Upcoming::follow(const Instruction& instruction) {
  const bool is_do = program::pardo_of(naming_.program, instruction) == nullptr;
  switch (outline_.at(pc_).control) {
    case Control::jump:
      pc_ = program::target_of(instruction);
      return Step::paused;
    case Control::branch:
      branch(program::target_of(instruction));
      return Step::paused;
    case Control::call:
      if (calls_.size() == program::max_calls) return Step::wall;
      calls_.push_back(pc_ + 1);
      pc_ = program::target_of(instruction);
      return Step::paused;
    case Control::return_:
      if (calls_.empty()) return Step::wall;
      pc_ = calls_.back();
      calls_.pop_back();
      return Step::paused;
    case Control::loop_begin:
      if (!is_do) return begin_pardo(instruction);
      begin_do(instruction);
      return is_lost_ ? Step::wall : Step::paused;
    case Control::loop_next:
      if (!is_do) return next_pardo();
      next_do(instruction);
      return Step::paused;
    case Control::loop_leave:
      // The program counts the rest of a balanced pardo, which decides where the next one begins.
      if (!is_do && loops_.innermost().iterations.policy() == Policy::balanced) is_lost_ = true;
      loops_.close();
      ++pc_;
      return Step::paused;
    default:
      return Step::wall;
  }
}

void Upcoming::branch(std::int32_t target) {
  const auto truth = condition(pc_);
  if (truth) {
    pc_ = *truth ? pc_ + 1 : target;
    return;
  }
  is_certain_ = false;
  const std::int32_t around = outline_.at(pc_).around;
  note_changes(pc_, around);
  pc_ = around;
}

void Upcoming::begin_do(const Instruction& instruction) {
  if (!loops_.can_open(instruction.a)) {
    is_lost_ = true;  // the program will say what is wrong
    return;
  }
  if (outline_.at(pc_).is_dull || !loops_.begin_do(instruction.a)) {
    note_changes(pc_, instruction.b);
    pc_ = instruction.b;
    return;
  }
  ++pc_;
}

void Upcoming::next_do(const Instruction& instruction) {
  if (loops_.next_do())
    pc_ = instruction.b;
  else
    ++pc_;
}

Upcoming::Step Upcoming::begin_pardo(const Instruction& instruction) {
  const auto& decl = naming_.program.pardos[static_cast<std::size_t>(instruction.a)];
  const Policy policy = policy_of(decl, sharing_.policy, sharing_.workers);
  // The share of a pardo dealt by a server is known only once the pardo has begun.
  if (policy == Policy::dynamic || policy == Policy::locality ||
      !std::ranges::all_of(decl.indexes, [&](std::int32_t k) { return loops_.can_open(k); }))
    return Step::wall;
  loops_.begin_pardo(instruction.a, {policy, sharing_.worker, sharing_.workers});
  const std::size_t depth = loops_.open().size();
  const Step step = next_pardo();
  if (loops_.open().size() < depth) pc_ = instruction.b;  // no iteration
  return step;
}

Upcoming::Step Upcoming::next_pardo() {
  const OpenLoop& loop = loops_.innermost();
  const std::int32_t end = outline_.where_end(loop.id);
  std::int64_t left = std::int64_t{most_tried} + 16 * sharing_.workers;
  const auto step = loops_.next([&](std::int32_t) {
    const auto truth = left-- > 0 ? condition(end) : std::nullopt;
    if (!truth) is_lost_ = true;
    return is_lost_ || *truth;
  });
  if (is_lost_) return Step::wall;
  if (step == Iterations::Step::chunk_ended) return Step::chunk_wanted;
  if (step == Iterations::Step::found) {
    pc_ = loop.iterations.pardo().body;
  } else {
    loops_.close();
    ++pc_;
  }
  return Step::paused;
}

std::optional<bool> Upcoming::condition(std::int32_t pc) {
  const Outline::Point& point = outline_.at(pc);
  if (point.condition == Outline::Condition::unknown) return std::nullopt;
  if (point.condition == Outline::Condition::names && is_changed_on_the_way(point.begin, pc))
    return std::nullopt;
  try {
    expressions_.clear();
    for (std::int32_t at = point.begin; at < pc; ++at)
      if (!expressions_.evaluate(naming_.program.code[static_cast<std::size_t>(at)]))
        return std::nullopt;
    return expressions_.pop_truth();
  } catch (const base::Error&) {  // the program will meet it itself
    return std::nullopt;
  }
}

bool Upcoming::is_changed_on_the_way(std::int32_t begin, std::int32_t end) const {
  for (std::int32_t pc = begin; pc < end; ++pc) {
    const Instruction& instruction = program::instruction_at(naming_.program, pc);
    const OperandKind kind = program::row_of(instruction.opcode).operands[0];
    const auto id = static_cast<std::size_t>(instruction.a);
    if (kind == OperandKind::int_name && int_changed_[id] != 0) return true;
    if (kind == OperandKind::scalar && scalar_changed_[id] != 0) return true;
  }
  return false;
}

void Upcoming::note_changes(std::int32_t begin, std::int32_t end) {
  for (const Outline::Change& change : outline_.changes(begin, end))
    (change.is_int ? int_changed_ : scalar_changed_)[static_cast<std::size_t>(change.id)] = 1;
}

}  // namespace blockyard::flow
