// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/prefetcher.h"

#include "blockyard/base/clock.h"

namespace blockyard::worker::detail {

Prefetcher::Prefetcher(const Naming& naming, const Options& options, Blocks& blocks, Loops& loops,
                       const std::vector<std::int64_t>& ints, const std::vector<Number>& scalars,
                       const std::vector<std::int32_t>& calls)
    : blocks_(blocks),
      loops_(loops),
      cache_(blocks.cache()),
      calls_(calls),
      is_auto_(options.prefetch.is_auto),
      is_on_(options.prefetch.is_auto || options.prefetch.fixed > 0),
      is_checking_(options.check),
      outline_(naming.program),
      puts_(naming.program),
      upcoming_(naming, outline_, {options.policy, options.worker, options.workers}, ints, scalars),
      ring_(capacity),
      lines_(outline_.gets().size()) {
  if (!is_auto_)
    for (Line& line : lines_) line.choice.depth = options.prefetch.fixed;
  cache_.on_waste([this](std::int32_t pc) {
    DepthChoice& choice = lines_[static_cast<std::size_t>(outline_.at(pc).line)].choice;
    if (is_auto_)
      choice.waste();
    else
      ++choice.wasted;
  });
}

const DepthChoice& Prefetcher::choice(std::int32_t pc) const {
  return lines_[static_cast<std::size_t>(outline_.at(pc).line)].choice;
}

void Prefetcher::begin_epoch(std::int32_t pc) {
  puts_.begin(pc, calls_);
  patience_ = 1;
  restart(pc);
}

void Prefetcher::restart(std::int32_t pc) {
  first_ = end_;
  for (Line& line : lines_) {
    line.held = line.asked = 0;
    line.first_unasked = line.last = none;
  }
  misses_ = 0;
  upcoming_.restart(pc, loops_.nest(), loops_.chunk_number(), calls_);
  is_at_wall_ = false;
  fill();
}

void Prefetcher::passed(std::int32_t pc, const array::BlockId& id) {
  const std::int32_t number = outline_.at(pc).line;
  Line& line = lines_[static_cast<std::size_t>(number)];
  if (is_auto_) choose(line, pc);
  if (take_out(number, id)) {
    misses_ = 0;
    patience_ = 1;
  } else {
    const bool was_expected = may_ask(id.array, upcoming_.is_certain());
    upcoming_.doubt();  // a certain look-ahead that is not behind had this get in the ring
    if (was_expected && ++misses_ >= patience_ && (first_ == end_ || misses_ >= 8)) {
      patience_ = std::min(2 * patience_, 1024);
      restart(pc + 1);
    }
  }
  ask(line, pc);
  fill();
}

void Prefetcher::fill() {
  int budget = steps_per_get;
  Coming coming;
  while (!is_at_wall_ && end_ - first_ < capacity) {
    switch (upcoming_.next(coming, budget)) {
      case Upcoming::Step::found:
        if (may_ask(coming.block.id.array, coming.is_certain)) append(coming);
        break;
      case Upcoming::Step::paused:
        return;
      case Upcoming::Step::chunk_wanted: {
        if (!loops_.is_open(upcoming_.chunk_counter())) {
          is_at_wall_ = true;
          break;
        }
        const wire::Chunk* chunk = loops_.chunk_ahead(upcoming_.chunk_number() + 1);
        if (chunk == nullptr) return;
        upcoming_.take_chunk(chunk->first, chunk->last);
        break;
      }
      case Upcoming::Step::wall:
        is_at_wall_ = true;
        break;
    }
  }
}

bool Prefetcher::may_ask(std::int32_t array, bool is_certain) const {
  return !puts_.changes(array) || (is_certain && !is_checking_);
}

void Prefetcher::append(const Coming& coming) {
  const std::int32_t number = outline_.at(coming.pc).line;
  Line& line = lines_[static_cast<std::size_t>(number)];
  const Turn place = end_++;
  at(place) = {coming.block, coming.iteration, number, false, none};
  if (line.held++ > 0) at(line.last).next = place;
  line.last = place;
  if (line.first_unasked == none) line.first_unasked = place;
  ask(line, coming.pc);
}

/// Asks for blocks of a line up to its depth.
void Prefetcher::ask(Line& line, std::int32_t pc) {
  if (line.asked >= line.choice.depth || line.first_unasked == none) return;
  while (line.asked < line.choice.depth && line.first_unasked != none) {
    Ahead& ahead = at(line.first_unasked);
    if (!cache_.prefetch(ahead.block.id, ahead.block.bytes, {pc, ahead.iteration})) {
      ++line.choice.no_room;
      break;
    }
    ahead.is_asked = true;
    ++line.asked;
    line.first_unasked = ahead.next;
  }
}

/// Takes the get out of the ring, with all before it: the program will not come to those.
bool Prefetcher::take_out(std::int32_t line, const array::BlockId& id) {
  if (lines_[static_cast<std::size_t>(line)].held == 0) return false;
  Turn place = first_;
  while (place < end_ && (at(place).line != line || at(place).block.id != id)) ++place;
  if (place == end_) return false;
  while (first_ <= place) pop_first();
  return true;
}

void Prefetcher::pop_first() {
  const Ahead& ahead = at(first_);
  Line& line = lines_[static_cast<std::size_t>(ahead.line)];
  --line.held;
  if (ahead.is_asked) --line.asked;
  if (line.first_unasked == first_) line.first_unasked = ahead.next;
  ++first_;
}

/// Looks at the times of a line if it had to wait again.
void Prefetcher::choose(Line& line, std::int32_t pc) {
  const FetchWait& wait = blocks_.fetched().wait_at(pc);
  const std::uint64_t gets = wait.gets - line.gets_seen;
  if (wait.blocked == line.blocked_seen && gets < 1024) return;
  const double work = work_seconds();
  if (wait.blocked > line.blocked_seen && gets > 0 && line.gets_seen > 0) {
    const auto blocked = static_cast<double>(wait.blocked - line.blocked_seen);
    line.choice.waited((wait.transfer_seconds - line.transfer_seen) / blocked,
                       (work - line.work_seen) / static_cast<double>(gets));
  }
  if (line.choice.wasted == line.wasted_seen) line.choice.went_well(gets);
  line.gets_seen = wait.gets;
  line.blocked_seen = wait.blocked;
  line.wasted_seen = line.choice.wasted;
  line.transfer_seen = wait.transfer_seconds;
  line.work_seen = work;
}

/// Time in which the program was not waiting for blocks.
double Prefetcher::work_seconds() const {
  return base::now_seconds() - blocks_.fetched().wait_seconds();
}

}  // namespace blockyard::worker::detail
