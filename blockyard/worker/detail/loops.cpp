// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/loops.h"

#include <fmt/format.h>

#include "blockyard/base/error.h"

namespace blockyard::worker::detail {

using base::Errc;
using base::Error;
using program::Policy;

IndexRange Loops::range_of(std::int32_t index) const {
  const auto& decl = naming_.program.indexes[static_cast<std::size_t>(index)];
  if (decl.parent < 0) return naming_.tables.indexes[static_cast<std::size_t>(index)];
  const std::int64_t parent = blocks_.index_values[static_cast<std::size_t>(decl.parent)];
  if (parent == Blocks::unbound)
    throw Error(Errc::bad_input,
                fmt::format("a loop over subindex '{}' needs a loop over '{}' around it", decl.name,
                            naming_.index(decl.parent)));
  const auto& first_of = naming_.tables.subsegments[static_cast<std::size_t>(decl.kind)].first_of;
  return {first_of[static_cast<std::size_t>(parent - 1)],
          first_of[static_cast<std::size_t>(parent)] - 1};
}

void Loops::bind(std::int32_t index) {
  if (blocks_.index_values[static_cast<std::size_t>(index)] != Blocks::unbound)
    throw Error(Errc::bad_input,
                fmt::format("reuse of live index '{}': a loop over it is already open",
                            naming_.index(index)));
  if (open_.size() == program::max_loops)
    throw Error(Errc::bad_input, fmt::format("more than {} loops are open", program::max_loops));
}

bool Loops::begin_do(std::int32_t index) {
  bind(index);
  const IndexRange range = range_of(index);
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
  blocks_.index_values[static_cast<std::size_t>(open_.back().id)] = Blocks::unbound;
  open_.pop_back();
}

bool Loops::begin_pardo(std::int32_t pardo) {
  Loop loop;
  loop.id = pardo;
  const auto& indexes = decl(loop).indexes;
  loop.settings = 1;
  for (std::size_t k = 0; k < indexes.size(); ++k) {
    bind(indexes[k]);
    loop.ranges[k] = range_of(indexes[k]);
    const std::int64_t length =
        std::max<std::int64_t>(0, loop.ranges[k].last - loop.ranges[k].first + 1);
    if (length > 0 && loop.settings > (std::int64_t{1} << 62) / length)
      throw Error(Errc::bad_input, "a pardo of more than 2^62 iterations");
    loop.settings *= length;
  }
  loop.policy = decl(loop).policy == Policy::unset ? options_.policy : decl(loop).policy;
  if (options_.workers == 1) loop.policy = Policy::sequential;
  const std::uint64_t times = ++entered_[static_cast<std::size_t>(pardo)];
  loop.counter = (static_cast<std::uint64_t>(pardo) << 40) | times;
  if (loop.policy == Policy::dynamic) {
    loop.total = loop.settings;
    if (decl(loop).where >= 0)
      for (loop.total = 0; next_iteration(loop);) ++loop.total;
    rewind(loop);
  }
  open_.push_back(loop);
  if (!next_mine(open_.back())) {
    close_pardo();
    return false;
  }
  blocks_.open_scope();
  return true;
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
  if (loop.policy == Policy::balanced)  // all workers count all iterations
    while (next_iteration(loop)) {
    }
  close_pardo();
}

void Loops::close_pardo() {
  const Loop& loop = open_.back();
  if (loop.policy == Policy::balanced) dealt_ += loop.passed;
  for (const std::int32_t index : decl(loop).indexes)
    blocks_.index_values[static_cast<std::size_t>(index)] = Blocks::unbound;
  transport_.here.iteration = 0;
  open_.pop_back();
}

void Loops::rewind(Loop& loop) noexcept {
  loop.setting = -1;
  loop.passed = 0;
}

/// The next setting of the indexes, the first index fastest.
bool Loops::advance(Loop& loop) {
  if (++loop.setting >= loop.settings) return false;
  const auto& indexes = decl(loop).indexes;
  auto& values = blocks_.index_values;
  for (std::size_t k = 0; k < indexes.size(); ++k) {
    std::int64_t& value = values[static_cast<std::size_t>(indexes[k])];
    if (loop.setting == 0) {
      value = loop.ranges[k].first;
    } else if (value < loop.ranges[k].last) {
      ++value;
      return true;
    } else {
      value = loop.ranges[k].first;
    }
  }
  return true;
}

bool Loops::holds(const Loop& loop) const {
  const std::int32_t where = decl(loop).where;
  return where < 0 || where_(where);
}

bool Loops::next_iteration(Loop& loop) {
  while (advance(loop))
    if (holds(loop)) {
      ++loop.passed;
      return true;
    }
  return false;
}

bool Loops::next_mine(Loop& loop) {
  bool found = false;
  switch (loop.policy) {
    case Policy::unset:
    case Policy::every_worker:
      found = next_iteration(loop);
      break;
    case Policy::sequential:
      found = options_.worker == 0 && next_iteration(loop);
      break;
    case Policy::static_:
      while (!found && advance(loop))
        found = loop.setting % options_.workers == options_.worker && holds(loop);
      break;
    case Policy::balanced:
      while (!found && next_iteration(loop))
        found = (dealt_ + loop.passed - 1) % options_.workers == options_.worker;
      break;
    case Policy::dynamic:
      found = next_of_chunk(loop);
      break;
  }
  if (!found) return false;
  ++iterations;
  transport_.here.iteration = (loop.counter << 24) + static_cast<std::uint64_t>(loop.setting) + 1;
  return true;
}

bool Loops::next_of_chunk(Loop& loop) {
  if (loop.passed == loop.chunk_last) {
    const auto answer = transport_.ask(
        static_cast<int>(loop.counter % static_cast<std::uint64_t>(options_.servers)),
        wire::TakeChunk{0, loop.counter, loop.total, options_.workers});
    const auto& chunk = std::get<wire::Chunk>(answer);
    if (chunk.first >= chunk.last) return false;
    loop.chunk_first = chunk.first;
    loop.chunk_last = chunk.last;
  }
  do {
    if (!next_iteration(loop)) return false;
  } while (loop.passed <= loop.chunk_first);
  return true;
}

}  // namespace blockyard::worker::detail
