// SPDX-License-Identifier: Apache-2.0
#include "blockyard/plan/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blockyard/base/error.h"
#include "blockyard/program/flow.h"

namespace blockyard::plan {

using base::Errc;
using base::Error;
using program::ArrayKind;
using program::Control;
using program::Instruction;
using program::Opcode;

Walk::Walk(const job::Job& job, const program::Program& program, const Machine& machine,
           const WalkOptions& options, RankModel& ranks, ServerModel& servers, FrameModel& frames)
    : job_(job),
      program_(program),
      machine_(machine),
      options_(options),
      ranks_(ranks),
      servers_(servers),
      frames_(frames),
      tables_(flow::bind(program, job.environment)),
      costs_(job, program, machine),
      trips_(program, tables_, options.iterations),
      naming_{program, tables_},
      nest_(naming_),
      calculator_(naming_, nest_.values(), tables_.ints, tables_.scalars),
      located_(program.selectors.size()),
      disk_seconds_(servers.spilled_bytes / machine.disk_write_bytes +
                    servers.read_back_bytes / machine.disk_read_bytes) {
  for (const std::int64_t value : tables_.ints) ints_.push_back({.i = value});
  for (std::size_t k = 0; k < program.scalars.size(); ++k)
    scalars_.push_back(
        {.s = tables_.scalars[k].real(), .is_known = !program.scalars[k].is_complex});
  for (std::size_t k = 0; k < program.arrays.size(); ++k)
    if (program.arrays[k].kind == ArrayKind::static_)
      static_bytes_ += static_cast<double>(tables_.grids[k].element_count()) *
                       element_bytes(static_cast<std::int32_t>(k));
}

ProgramPlan Walk::run() {
  constexpr double sampled_share = 0.2;  // of the steps: random iterations find nothing in caches
  constexpr double usual_steps = 5e7;
  constexpr double least_precision = 0.125;
  if (trips_.all() > options_.steps) ratio_ = sampled_share * options_.steps / trips_.all();
  precision_ = std::clamp(std::sqrt(options_.steps / usual_steps), least_precision, 1.0);
  std::vector<const array::Grid*> grids;
  std::vector<double> element_bytes_of;
  for (std::size_t k = 0; k < tables_.grids.size(); ++k) {
    grids.push_back(&tables_.grids[k]);
    element_bytes_of.push_back(element_bytes(static_cast<std::int32_t>(k)));
  }
  servers_.begin_program(std::move(grids), std::move(element_bytes_of));
  servers_.forget_peak();
  ranks_.begin_program();
  frames_.free_kept();
  ProgramPlan plan;
  try {
    open_scope();
    (void)step(0);
    close_scope();
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{}: {}", program::place_of(program_, pc_), error.what()));
  }
  plan.seconds = meet(machine_.barrier_seconds);
  note_arrays(plan);
  for (const auto& [array, label] : marked_) servers_.keep(array, label);
  plan.alive_bytes = servers_.peak_bytes();
  servers_.end_program();
  plan.work = std::move(work_);
  plan.static_bytes = static_bytes_;
  plan.own_bytes = frames_.peak();
  plan.is_sampled = is_sampled_;
  if (plan.work.core_seconds > 0) plan.error = std::sqrt(variance_) / plan.work.core_seconds;
  for (const auto& [place, what] : assumptions_)
    plan.assumptions.push_back(fmt::format("{}: {}", place, what));
  return plan;
}

void Walk::note_arrays(ProgramPlan& plan) const {
  for (std::size_t k = 0; k < program_.arrays.size(); ++k) {
    const auto& decl = program_.arrays[k];
    if (decl.is_hidden) continue;
    const array::Grid& grid = tables_.grids[k];
    const double bytes = element_bytes(static_cast<std::int32_t>(k));
    ArrayPlan array{decl.name,
                    decl.kind,
                    static_cast<double>(grid.block_count()),
                    static_cast<double>(grid.element_count()) * bytes,
                    static_cast<double>(grid.largest_block()) * bytes,
                    0};
    if (decl.kind == ArrayKind::distributed || decl.kind == ArrayKind::served)
      array.peak_bytes = servers_.peak_array_bytes(static_cast<std::int32_t>(k));
    plan.arrays.push_back(array);
  }
}

/// The part of a worker's budget left for copies of blocks now: frames that are only kept for later
/// make room.
double Walk::cache_room() const {
  return std::max(0.0, ranks_.worker_bytes() - static_bytes_ - frames_.live());
}

void Walk::assume(const std::string& what) {
  assumptions_.emplace(program::place_of(program_, pc_), what);
}

/// Steps from `pc` until a loop body or the program ends.
Walk::Stop Walk::step(std::int32_t pc) {
  while (true) {
    const Instruction& instruction = program::instruction_at(program_, pc);
    pc_ = pc++;
    ++steps_;
    const Control control = program::row_of(instruction.opcode).control;
    switch (control) {
      case Control::end:
      case Control::where_end:
      case Control::loop_next:
      case Control::loop_leave:
        return {control, pc};
      case Control::stop:
        if (!has_decided_) throw Error(Errc::bad_input, "the program stops the job here");
        assume("not stopped here");
        break;
      case Control::jump:
        pc = program::target_of(instruction);
        break;
      case Control::branch: {
        const Value truth = pop();
        const std::int32_t target = program::target_of(instruction);
        if (!(truth.is_known ? truth.b : decide(pc, target))) pc = target;
        break;
      }
      case Control::call:
        if (calls_.size() == program::max_calls)
          throw Error(Errc::bad_input,
                      fmt::format("more than {} calls are under way", program::max_calls));
        calls_.push_back(pc);
        pc = program::target_of(instruction);
        break;
      case Control::return_:
        pc = calls_.back();
        calls_.pop_back();
        break;
      case Control::loop_begin:
        pc = program::pardo_of(program_, instruction) == nullptr ? do_loop(instruction, pc_)
                                                                 : pardo(instruction);
        break;
      case Control::next:
        follow(instruction);
    }
  }
}

/// Follows an instruction, or leaves it out if it fails where a run may never get.
void Walk::follow(const Instruction& instruction) {
  const std::size_t depth = stack_.size();
  try {
    if (!evaluate(instruction)) act(instruction);
  } catch (const Error& error) {
    if (!has_decided_ || error.code() != Errc::bad_input) throw;
    assume(fmt::format("not run, as it would fail: {}", error.what()));
    stack_.resize(depth);
    pop_all(instruction);
    stack_.resize(stack_.size() + program::row_of(instruction.opcode).pushes.size(),
                  {.is_known = false});
  }
}

/// The first way out of the code from `begin` up to `end`, wherever its conditions lead.
Walk::Way Walk::way_of(std::int32_t begin, std::int32_t end) const {
  for (std::int32_t pc = begin; pc < end; ++pc) {
    const Instruction& instruction = program::instruction_at(program_, pc);
    const Control control = program::row_of(instruction.opcode).control;
    if (control == Control::stop) return Way::stop;
    if (control == Control::loop_leave && program::pardo_of(program_, instruction) == nullptr)
      return Way::out_of_loop;
    if (control == Control::loop_begin) pc = std::max(pc, program::target_of(instruction) - 1);
  }
  return Way::on;
}

/// Whether the code from `pc` up to `target` is run on a condition that only the data decide.
bool Walk::decide(std::int32_t pc, std::int32_t target) {
  const auto control_at = [&](std::int32_t at) {
    return program::row_of(program::instruction_at(program_, at).opcode).control;
  };
  // A jump at the end passes over what runs otherwise, unless it is the second half of an `exit`.
  const bool has_other = target - pc >= 1 && control_at(target - 1) == Control::jump &&
                         (target - pc == 1 || control_at(target - 2) != Control::loop_leave);
  const std::int32_t end =
      has_other ? program::target_of(program::instruction_at(program_, target - 1)) : target;
  const Way taken = way_of(pc, target);
  const Way other = way_of(target, end);
  if (taken == Way::stop) return false;
  if (other == Way::stop) return true;
  has_decided_ = true;
  if (taken == Way::on && other == Way::on) return true;
  assume(fmt::format("{} iterations (set with --iterations)", options_.iterations));
  return (taken == Way::out_of_loop) == (ordinal_ >= options_.iterations);
}

void Walk::act(const Instruction& instruction) {
  const std::int32_t a = instruction.a;
  switch (instruction.opcode) {
    case Opcode::section_end:
    case Opcode::barrier:
      return barrier();
    case Opcode::block_fill:
      return fill(instruction);
    case Opcode::block_copy:
      return copy(instruction);
    case Opcode::block_product:
      if (program::is_scaled(instruction)) (void)pop();
      return product(a, instruction.b);
    case Opcode::bind_region:
      for (const std::int32_t index : program_.selectors[static_cast<std::size_t>(a)].indexes)
        if (index < 0) stack_.resize(stack_.size() - 2);
      return;
    case Opcode::allocate:
      return allocate(a, true);
    case Opcode::deallocate:
      return allocate(a, false);
    case Opcode::get:
      return get(a);
    case Opcode::put_scalar:
      (void)pop();
      [[fallthrough]];
    case Opcode::put:
      return put(instruction);
    case Opcode::execute:
      return execute(instruction);
    case Opcode::collective_sum:
      (void)pop();
      scalars_[static_cast<std::size_t>(a)].is_known = false;
      meet(machine_.collective_seconds);
      return;
    default:
      return act_on_array(instruction);
  }
}

void Walk::act_on_array(const Instruction& instruction) {
  const std::int32_t a = instruction.a;
  const auto is_remote = [&] {
    const ArrayKind kind = program_.arrays[static_cast<std::size_t>(a)].kind;
    return kind == ArrayKind::distributed || kind == ArrayKind::served;
  };
  switch (instruction.opcode) {
    case Opcode::delete_array:
      meet(machine_.barrier_seconds);
      ranks_.forget_array(a);
      servers_.remove(a);
      return;
    case Opcode::persist_array:
      if (is_remote())
        marked_.emplace_back(a, program_.texts[static_cast<std::size_t>(instruction.b)]);
      return;
    case Opcode::restore_array:
      forget_numbers(a);
      if (!is_remote()) return;
      meet(machine_.barrier_seconds);
      servers_.restore(a, program_.texts[static_cast<std::size_t>(instruction.b)]);
      return;
    case Opcode::restore_scalar:
      scalars_[static_cast<std::size_t>(a)].is_known = false;
      return;
    case Opcode::broadcast:
      (void)pop();
      forget_numbers(a);
      [[fallthrough]];
    case Opcode::assert_same:
      meet(machine_.collective_seconds);
      return;
    default:  // prints, hints, marks of scalars; regions, which take no part in a plan
      pop_all(instruction);
      return;
  }
}

/// For an instruction that the plan does not follow.
void Walk::pop_all(const Instruction& instruction) {
  if (program::is_scaled(instruction)) (void)pop();
  for (const char letter : program::row_of(instruction.opcode).pops)
    if (letter != 'r') (void)pop();
}

/// All workers wait for the last, after the instructions since the last that was charged. Returns
/// the time.
double Walk::meet(double seconds) {
  charge({}, work_.core_seconds);
  return ranks_.meet(seconds);
}

void Walk::barrier() {
  meet(machine_.barrier_seconds);
  ranks_.clear_caches();
  nest_.restart_dealing();
}

}  // namespace blockyard::plan
