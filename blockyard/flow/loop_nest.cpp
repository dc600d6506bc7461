// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/loop_nest.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "blockyard/base/error.h"

namespace blockyard::flow {

using base::Errc;
using base::Error;
using program::Policy;

LoopNest::LoopNest(const Naming& naming)
    : naming_(naming),
      values_(naming.program.indexes.size(), unbound),
      entered_(naming.program.pardos.size(), 0) {
  open_.reserve(program::max_loops);
}

void LoopNest::assign(const LoopNest& other) {
  values_ = other.values_;
  open_ = other.open_;
  entered_ = other.entered_;
  begun_ = other.begun_;
  dealt_ = other.dealt_;
}

const OpenLoop* LoopNest::pardo() const noexcept {
  const auto found = std::ranges::find_if(open_, &OpenLoop::is_pardo);
  return found == open_.end() ? nullptr : &*found;
}

void LoopNest::require_open(std::int32_t index) const {
  if (values_[static_cast<std::size_t>(index)] != unbound)
    throw Error(Errc::bad_input,
                fmt::format("reuse of live index '{}': a loop over it is already open",
                            naming_.index(index)));
  if (open_.size() == program::max_loops)
    throw Error(Errc::bad_input, fmt::format("more than {} loops are open", program::max_loops));
}

bool LoopNest::can_open(std::int32_t index) const noexcept {
  const auto is_free = [&](std::int32_t other) {
    return values_[static_cast<std::size_t>(other)] == unbound;
  };
  const std::int32_t parent = naming_.program.indexes[static_cast<std::size_t>(index)].parent;
  return is_free(index) && open_.size() < program::max_loops && (parent < 0 || !is_free(parent));
}

bool LoopNest::begin_do(std::int32_t index) {
  const IndexRange range = range_of(naming_.program, naming_.tables, values_, index);
  if (range.first > range.last) return false;
  open_.push_back({.id = index, .last = range.last});
  values_[static_cast<std::size_t>(index)] = range.first;
  return true;
}

bool LoopNest::next_do(std::int64_t step) {
  const OpenLoop& loop = open_.back();
  std::int64_t& value = values_[static_cast<std::size_t>(loop.id)];
  if (step <= loop.last - value) {
    value += step;
    return true;
  }
  close();
  return false;
}

Iterations LoopNest::iterations_of(std::int32_t pardo, Sharing sharing) const {
  sharing.dealt = dealt_;
  return {naming_.program, naming_.tables, pardo, sharing, values_};
}

OpenLoop& LoopNest::begin_pardo(std::int32_t pardo, Sharing sharing) {
  Iterations iterations = iterations_of(pardo, sharing);
  const std::uint64_t times = ++entered_[static_cast<std::size_t>(pardo)];
  open_.push_back({.id = pardo,
                   .iterations = std::move(iterations),
                   .counter = (static_cast<std::uint64_t>(pardo) << 40) | times,
                   .number = ++begun_});
  return open_.back();
}

void LoopNest::close() {
  const OpenLoop& loop = open_.back();
  if (loop.is_pardo()) {
    if (loop.iterations.policy() == Policy::balanced) dealt_ += loop.iterations.passed();
    for (const std::int32_t index : loop.iterations.pardo().indexes)
      values_[static_cast<std::size_t>(index)] = unbound;
  } else {
    values_[static_cast<std::size_t>(loop.id)] = unbound;
  }
  open_.pop_back();
}

void LoopNest::restore(std::span<const std::int64_t> values,
                       std::span<const std::pair<std::int32_t, std::int64_t>> loops,
                       std::span<const std::uint64_t> entered) {
  if (values.size() != values_.size() || entered.size() != entered_.size() ||
      loops.size() > program::max_loops)
    throw Error(Errc::bad_input,
                "the state of a worker in the checkpoint does not fit its program");
  values_.assign(values.begin(), values.end());
  entered_.assign(entered.begin(), entered.end());
  begun_ = std::accumulate(entered_.begin(), entered_.end(), std::uint64_t{0});
  open_.clear();
  for (const auto& [index, last] : loops) open_.push_back({.id = index, .last = last});
}

}  // namespace blockyard::flow
