// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/wire/chunks.h"

namespace blockyard::worker::detail {

using base::Errc;
using base::Error;
using program::Policy;

namespace {
/// Longer pardos are dealt out as dynamic ones: a list of all settings would take too much.
constexpr std::int64_t most_listed = std::int64_t{1} << 20;
/// The same for the steps of making a list at worst.
constexpr std::int64_t most_list_steps = std::int64_t{1} << 26;
}  // namespace

bool Loops::begin_do(std::int32_t index) {
  nest_.require_open(index);
  if (!nest_.begin_do(index)) return false;
  blocks_.open_scope();
  return true;
}

bool Loops::next_do() {
  blocks_.close_scope();
  if (!nest_.next_do()) return false;
  blocks_.open_scope();
  return true;
}

void Loops::leave_do() {
  blocks_.close_scope();
  nest_.close();
}

bool Loops::begin_pardo(std::int32_t pardo) {
  const auto& decl = naming_.program.pardos[static_cast<std::size_t>(pardo)];
  for (const std::int32_t index : decl.indexes) nest_.require_open(index);
  Sharing sharing{policy_of(decl, options_.policy, options_.workers), options_.worker,
                  options_.workers};
  OpenLoop& loop = nest_.begin_pardo(pardo, sharing);
  if (sharing.policy == Policy::locality &&
      loop.iterations.settings() >
          std::min(most_listed, most_list_steps / near_.steps_of_iteration())) {
    sharing.policy = Policy::dynamic;
    loop.iterations = nest_.iterations_of(pardo, sharing);
  }
  loop.iterations.use(sieve_of(pardo, loop.iterations));
  if (sharing.policy == Policy::dynamic) count(loop);
  if (sharing.policy == Policy::locality) list_near(loop);
  if (!next_mine(loop)) {
    close_pardo();
    return false;
  }
  blocks_.open_scope();
  return true;
}

std::shared_ptr<const Sieve> Loops::sieve_of(std::int32_t pardo, const Iterations& loop) {
  auto& fixed = fixed_[static_cast<std::size_t>(pardo)];
  if (!fixed) fixed = fixed_conditions(naming_.program, loop.pardo());
  if (fixed->conditions.empty()) return nullptr;
  return Sieve::make(loop.pardo().indexes, loop.ranges(), *fixed, nest_.values_to_set(), holds_);
}

/// Counts the iterations, which all must be known before a server deals them out.
void Loops::count(OpenLoop& loop) {
  loop.total = loop.iterations.settings();
  if (loop.iterations.pardo().where < 0) return;
  loop.iterations.skip(nest_.values_to_set(), where_);
  loop.total = loop.iterations.passed();
  loop.iterations.rewind();
}

void Loops::list_near(OpenLoop& loop) {
  Iterations all(naming_.program, naming_.tables, loop.id, {Policy::every_worker, 0, 1, 0},
                 nest_.values());
  all.use(loop.iterations.sieve());
  near_.begin(loop.id);
  while (all.next(nest_.values_to_set(), where_) == Iterations::Step::found)
    near_.add(all.setting(), nest_.values());
  near_.end();
  loop.total = all.passed();
  loop.iterations.follow(near_.order());
}

bool Loops::next_pardo() {
  blocks_.close_scope();
  if (!next_mine(nest_.innermost())) {
    close_pardo();
    return false;
  }
  blocks_.open_scope();
  return true;
}

void Loops::leave_pardo() {
  blocks_.close_scope();
  Iterations& iterations_of = nest_.innermost().iterations;
  if (iterations_of.policy() == Policy::balanced)  // all workers count all iterations
    iterations_of.skip(nest_.values_to_set(), where_);
  close_pardo();
}

void Loops::close_pardo() {
  nest_.close();
  here_.iteration = 0;
  // A loop that is left early has taken chunks that no other worker will do, including its last.
  if (asked_ != 0 && !has_next_chunk_) static_cast<void>(transport_.answer_to(asked_));
  chunk_number_ = 0;
  asked_ = 0;
  has_next_chunk_ = false;
  has_told_lists_ = false;
}

bool Loops::next_mine(OpenLoop& loop) {
  auto step = loop.iterations.next(nest_.values_to_set(), where_);
  while (step == Iterations::Step::chunk_ended) {
    take_chunk(loop);
    step = loop.iterations.next(nest_.values_to_set(), where_);
  }
  if (step == Iterations::Step::ended) return false;
  ++iterations_;
  here_.iteration = loop.iteration();
  return true;
}

/// Takes the worker's initial share of the loop, or of its own list, without asking. An empty share
/// means the loop is finished; with an empty list the worker may steal.
bool Loops::take_unasked(OpenLoop& loop) {
  wire::Range range;
  if (loop.iterations.policy() == Policy::locality) {
    const auto& lengths = near_.lengths();
    const auto mine = lengths.begin() + options_.worker;
    range.first = std::accumulate(lengths.begin(), mine, std::int64_t{0});
    range.last = range.first + wire::unasked_of_list(*mine);
    if (range.length() == 0 && loop.total > 0) return false;
  } else {
    range = wire::unasked_of(options_.worker, loop.total, options_.workers);
  }
  chunk_ = {0, range.first, range.last};
  return true;
}

void Loops::take_chunk(OpenLoop& loop) {
  if (chunk_number_ == 0 && take_unasked(loop)) {
    chunk_number_ = 1;
    return loop.iterations.take_chunk(chunk_.first, chunk_.last);
  }
  if (!has_next_chunk_) {
    if (asked_ == 0) asked_ = ask_for_chunk(loop);
    const double begin = base::now_seconds();
    next_chunk_ = std::get<wire::Chunk>(transport_.answer_to(asked_));
    chunk_seconds_ += base::now_seconds() - begin;
  }
  chunk_ = next_chunk_;
  ++chunk_number_;
  asked_ = 0;
  has_next_chunk_ = false;
  loop.iterations.take_chunk(chunk_.first, chunk_.last);
}

wire::Ticket Loops::ask_for_chunk(const OpenLoop& loop) {
  wire::TakeChunk request{0, loop.counter, loop.total, options_.workers};
  if (loop.iterations.policy() == Policy::locality) {
    const auto [first, last] = near_.neighbours(options_.worker);
    if (!has_told_lists_) request.lists = near_.lengths();
    has_told_lists_ = true;
    request.mine = options_.worker;
    request.near_first = first;
    request.near_last = last;
  }
  return transport_.start(
      static_cast<int>(loop.counter % static_cast<std::uint64_t>(options_.servers)),
      std::move(request));
}

const wire::Chunk* Loops::chunk_ahead(std::int64_t number) {
  if (number == chunk_number_) return &chunk_;
  if (number != chunk_number_ + 1) return nullptr;
  if (!has_next_chunk_) {
    if (asked_ == 0) {
      asked_ = ask_for_chunk(*nest_.pardo());
      return nullptr;
    }
    auto answer = transport_.answer_so_far(asked_);
    if (!answer) return nullptr;
    next_chunk_ = std::get<wire::Chunk>(*answer);
    has_next_chunk_ = true;
  }
  return &next_chunk_;
}

}  // namespace blockyard::worker::detail
