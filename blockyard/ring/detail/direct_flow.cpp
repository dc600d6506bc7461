// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ring/detail/direct_flow.h"

#include <algorithm>
#include <utility>

namespace blockyard::ring {

using base::require;

DirectFlow::DirectFlow(const LaneShape& shape)
    : shape_(shape),
      credits_(static_cast<std::size_t>(shape.places), shape.slots),
      filled_(credits_.size(), 0),
      freed_(credits_.size(), 0),
      counts_(shape.places) {}

int DirectFlow::at_step(int step) const {
  const int shift = shape_.is_leftward ? shape_.places - step : step;
  return (shape_.place + shift) % shape_.places;
}

bool DirectFlow::may_give() const {
  return own_unused_ < shape_.slots && to_send_.size() < static_cast<std::size_t>(shape_.slots);
}

ItemName DirectFlow::give() {
  require(may_give(), "an item is given only when the lane takes it");
  const ItemName item{shape_.place, given_++};
  ++own_unused_;
  if (shape_.places > 1) to_send_.emplace_back(item, 1);
  return item;
}

void DirectFlow::end_giving() {
  counts_.hear(shape_.place, given_);
  for (int step = 1; step < shape_.places; ++step)
    endings_.push_back({at_step(step), shape_.place, given_});
}

void DirectFlow::arrive(int from, ItemName item) {
  require(from == item.origin && from != shape_.place, "an item came the wrong way");
  int& filled = filled_.at(static_cast<std::size_t>(from));
  require(filled < shape_.slots, "an item came for which there was no slot");
  ++filled;
}

void DirectFlow::take_credit(int from, int slots) {
  int& credits = credits_.at(static_cast<std::size_t>(from));
  credits += slots;
  require(credits <= shape_.slots, "more credits came than there are slots");
}

void DirectFlow::hear_ending(int origin, std::int64_t count) { counts_.hear(origin, count); }

void DirectFlow::used(ItemName item) {
  counts_.use(item.origin);
  if (item.origin == shape_.place) {
    --own_unused_;
    require(own_unused_ >= 0, "an item is used once");
    return;
  }
  const auto origin = static_cast<std::size_t>(item.origin);
  --filled_[origin];
  require(filled_[origin] >= 0, "an item is used once, while it is here");
  ++freed_[origin];
}

std::optional<Send> DirectFlow::next_send() {
  if (to_send_.empty()) return std::nullopt;
  auto& [item, step] = to_send_.front();
  const int to = at_step(step);
  if (credits_[static_cast<std::size_t>(to)] == 0) return std::nullopt;
  --credits_[static_cast<std::size_t>(to)];
  const Send send{to, item};
  if (++step == shape_.places) to_send_.pop_front();
  return send;
}

std::optional<Ending> DirectFlow::next_ending() {
  if (endings_.empty() || !to_send_.empty()) return std::nullopt;
  const Ending ending = endings_.front();
  endings_.pop_front();
  return ending;
}

std::optional<Credit> DirectFlow::next_credit() {
  const auto freed = std::ranges::find_if(freed_, [](int slots) { return slots > 0; });
  if (freed == freed_.end()) return std::nullopt;
  return Credit{static_cast<int>(freed - freed_.begin()), std::exchange(*freed, 0)};
}

bool DirectFlow::is_to_send(ItemName item) const {
  return std::ranges::any_of(to_send_, [&](const auto& own) { return own.first == item; });
}

bool DirectFlow::is_over() const {
  return counts_.is_over() && to_send_.empty() && endings_.empty() && own_unused_ == 0;
}

}  // namespace blockyard::ring
