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
/// The same for the settings times the servers, which are the steps of making a list at worst.
constexpr std::int64_t most_list_steps = std::int64_t{1} << 26;
}  // namespace

void Loops::bind(std::int32_t index) {
  if (blocks_.index_values[static_cast<std::size_t>(index)] != unbound)
    throw Error(Errc::bad_input,
                fmt::format("reuse of live index '{}': a loop over it is already open",
                            naming_.index(index)));
  if (open_.size() == program::max_loops)
    throw Error(Errc::bad_input, fmt::format("more than {} loops are open", program::max_loops));
}

bool Loops::begin_do(std::int32_t index) {
  bind(index);
  const IndexRange range = range_of(naming_.program, naming_.tables, blocks_.index_values, index);
  if (range.first > range.last) return false;
  Loop loop;
  loop.id = index;
  loop.last = range.last;
  open_.push_back(loop);
  blocks_.index_values[static_cast<std::size_t>(index)] = range.first;
  blocks_.open_scope();
  return true;
}

bool Loops::next_do() {
  const Loop& loop = open_.back();
  std::int64_t& value = blocks_.index_values[static_cast<std::size_t>(loop.id)];
  if (value == loop.last) {
    close_do();
    return false;
  }
  blocks_.close_scope();
  ++value;
  blocks_.open_scope();
  return true;
}

void Loops::close_do() {
  blocks_.close_scope();
  blocks_.index_values[static_cast<std::size_t>(open_.back().id)] = unbound;
  open_.pop_back();
}

bool Loops::begin_pardo(std::int32_t pardo) {
  const auto& decl = naming_.program.pardos[static_cast<std::size_t>(pardo)];
  for (const std::int32_t index : decl.indexes) bind(index);
  Sharing sharing{policy_of(decl, options_.policy, options_.workers), options_.worker,
                  options_.workers, dealt_};
  Loop loop;
  loop.id = pardo;
  const auto enumerate = [&] {
    return Iterations(naming_.program, naming_.tables, pardo, sharing, blocks_.index_values);
  };
  loop.iterations = enumerate();
  if (sharing.policy == Policy::locality &&
      loop.iterations.settings() > std::min(most_listed, most_list_steps / options_.servers)) {
    sharing.policy = Policy::dynamic;
    loop.iterations = enumerate();
  }
  loop.iterations.use(sieve_of(pardo, loop.iterations));
  const std::uint64_t times = ++entered_[static_cast<std::size_t>(pardo)];
  loop.counter = counter_of(pardo, times);
  if (sharing.policy == Policy::dynamic) count(loop);
  if (sharing.policy == Policy::locality) list_near(loop);
  open_.push_back(loop);
  if (!next_mine(open_.back())) {
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
  return Sieve::make(loop.pardo().indexes, loop.ranges(), *fixed, blocks_.index_values, holds_);
}

/// Counts the iterations, which all must be known before a server deals them out.
void Loops::count(Loop& loop) {
  loop.total = loop.iterations.settings();
  if (loop.iterations.pardo().where < 0) return;
  loop.iterations.skip(blocks_.index_values, where_);
  loop.total = loop.iterations.passed();
  loop.iterations.rewind();
}

void Loops::list_near(Loop& loop) {
  Iterations all(naming_.program, naming_.tables, loop.id, {Policy::every_worker, 0, 1, 0},
                 blocks_.index_values);
  all.use(loop.iterations.sieve());
  near_.begin(loop.id);
  while (all.next(blocks_.index_values, where_) == Iterations::Step::found)
    near_.add(all.setting(), blocks_.index_values);
  near_.end();
  loop.total = all.passed();
  loop.iterations.follow(near_.order());
}

bool Loops::next_pardo() {
  blocks_.close_scope();
  if (!next_mine(open_.back())) {
    close_pardo();
    return false;
  }
  blocks_.open_scope();
  return true;
}

void Loops::leave_pardo() {
  blocks_.close_scope();
  Loop& loop = open_.back();
  if (loop.iterations.policy() == Policy::balanced)  // all workers count all iterations
    loop.iterations.skip(blocks_.index_values, where_);
  close_pardo();
}

void Loops::close_pardo() {
  const Iterations& iterations_of = open_.back().iterations;
  if (iterations_of.policy() == Policy::balanced) dealt_ += iterations_of.passed();
  for (const std::int32_t index : iterations_of.pardo().indexes)
    blocks_.index_values[static_cast<std::size_t>(index)] = unbound;
  transport_.here.iteration = 0;
  open_.pop_back();
  // A loop that is left early has taken chunks that no other worker will do, including its last.
  if (asked_ != 0 && !has_next_chunk_) static_cast<void>(transport_.answer_to(asked_));
  chunk_number_ = 0;
  asked_ = 0;
  has_next_chunk_ = false;
  has_told_lists_ = false;
}

bool Loops::next_mine(Loop& loop) {
  auto step = loop.iterations.next(blocks_.index_values, where_);
  while (step == Iterations::Step::chunk_ended) {
    take_chunk(loop);
    step = loop.iterations.next(blocks_.index_values, where_);
  }
  if (step == Iterations::Step::ended) return false;
  ++iterations;
  transport_.here.iteration = loop.iteration();
  return true;
}

/// Takes the worker's initial share of the loop, or of its own list, without asking. An empty share
/// means the loop is finished; with an empty list the worker may steal.
bool Loops::take_unasked(Loop& loop) {
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

void Loops::take_chunk(Loop& loop) {
  if (chunk_number_ == 0 && take_unasked(loop)) {
    chunk_number_ = 1;
    return loop.iterations.take_chunk(chunk_.first, chunk_.last);
  }
  if (!has_next_chunk_) {
    if (asked_ == 0) asked_ = ask_for_chunk(loop);
    const double begin = base::now_seconds();
    next_chunk_ = std::get<wire::Chunk>(transport_.answer_to(asked_));
    chunk_seconds += base::now_seconds() - begin;
  }
  chunk_ = next_chunk_;
  ++chunk_number_;
  asked_ = 0;
  has_next_chunk_ = false;
  loop.iterations.take_chunk(chunk_.first, chunk_.last);
}

wire::Ticket Loops::ask_for_chunk(const Loop& loop) {
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
      asked_ = ask_for_chunk(*std::ranges::find_if(open_, &Loop::is_pardo));
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
