// SPDX-License-Identifier: Apache-2.0
// The part of Interpreter and Loops that goes to checkpoints and comes from them.
#include <algorithm>

#include "blockyard/base/error.h"
#include "blockyard/worker/detail/checkpoint.h"
#include "blockyard/worker/detail/interpreter.h"
#include "blockyard/worker/detail/state.h"

namespace blockyard::worker::detail {

using base::Errc;
using base::Error;

namespace {

[[noreturn]] void refuse() {
  throw Error(Errc::bad_input, "the state of a worker in the checkpoint does not fit its program");
}

}  // namespace

void Loops::save(ProgramState& state) const {
  for (const OpenLoop& loop : nest_.open()) state.loops.push_back({loop.id, loop.last});
  state.entered.assign(nest_.entered().begin(), nest_.entered().end());
  state.index_values = nest_.values();
}

void Loops::load(const ProgramState& state) {
  std::vector<std::pair<std::int32_t, std::int64_t>> open;
  for (const ProgramState::OpenDo& loop : state.loops) open.emplace_back(loop.index, loop.last);
  nest_.restore(state.index_values, open, state.entered);
}

void Interpreter::save(RecordSink& sink) const {
  base::require(values_.is_empty(), "a barrier is a statement");
  ProgramState state;
  state.pc = blocks_.pc() + 1;
  state.epoch = here_.epoch;
  state.prints = printer_.is_on();
  state.calls = calls_;
  state.ints = ints_;
  state.scalars = scalars_;
  const auto mark = [&](const Mark& from) {
    return ProgramState::Mark{from.id,
                              static_cast<std::int32_t>(from.label - program_.texts.data())};
  };
  std::ranges::transform(marked_arrays_, std::back_inserter(state.marked_arrays), mark);
  std::ranges::transform(marked_scalars_, std::back_inserter(state.marked_scalars), mark);
  loops_.save(state);
  const auto frames = blocks_.save(state);
  sink.add(encode(state));
  for (const block::SharedFrame& frame : frames) sink.add(frame->bytes());
}

/// Returns the pc to go on from.
std::int32_t Interpreter::load(RecordSource& source) {
  const ProgramState state = decode_program_state(source.next());
  if (state.ints.size() != ints_.size() || state.scalars.size() != scalars_.size() ||
      state.pc < 0 || static_cast<std::size_t>(state.pc) >= program_.code.size())
    refuse();
  here_.epoch = state.epoch;
  printer_.let_all_print(state.prints != 0);
  calls_ = state.calls;
  ints_ = state.ints;
  scalars_ = state.scalars;
  const auto mark = [&](const ProgramState::Mark& from) {
    return Mark{from.id, &program_.texts.at(static_cast<std::size_t>(from.text))};
  };
  std::ranges::transform(state.marked_arrays, std::back_inserter(marked_arrays_), mark);
  std::ranges::transform(state.marked_scalars, std::back_inserter(marked_scalars_), mark);
  loops_.load(state);
  blocks_.load(state, source);
  return state.pc;
}

}  // namespace blockyard::worker::detail
