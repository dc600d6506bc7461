// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ring/detail/ring_flow.h"

#include <utility>

namespace blockyard::ring {

using base::require;

RingFlow::RingFlow(const LaneShape& shape)
    : shape_(shape),
      next_((shape.place + (shape.is_leftward ? shape.places - 1 : 1)) % shape.places),
      previous_((shape.place + (shape.is_leftward ? 1 : shape.places - 1)) % shape.places),
      credits_(shape.slots),
      counts_(shape.places) {}

bool RingFlow::may_give() const {
  if (own_here_ >= shape_.slots) return false;
  // The item leaves at once, so that it delays no other, and leaves one slot free.
  return shape_.places == 1 || (to_send_.empty() && credits_ >= 2);
}

ItemName RingFlow::give() {
  require(may_give(), "an item is given only when the lane takes it");
  const ItemName item{shape_.place, given_++};
  ++own_here_;
  here_[item] = {true, shape_.places > 1};
  if (shape_.places > 1) to_send_.push_back(item);
  return item;
}

void RingFlow::end_giving() {
  counts_.hear(shape_.place, given_);
  if (shape_.places > 1) endings_.push_back({next_, shape_.place, given_});
}

void RingFlow::arrive(int from, ItemName item) {
  require(from == previous_ && item.origin != shape_.place, "an item came the wrong way");
  require(filled_ < shape_.slots, "an item came for which there was no slot");
  ++filled_;
  const bool goes_on = next_ != item.origin;
  const bool is_new = here_.emplace(item, Resident{true, goes_on}).second;
  require(is_new, "an item came twice");
  if (goes_on) to_send_.push_back(item);
}

void RingFlow::take_credit(int from, int slots) {
  require(from == next_, "a credit came from a place that takes nothing from here");
  credits_ += slots;
  require(credits_ <= shape_.slots, "more credits came than there are slots");
}

void RingFlow::hear_ending(int origin, std::int64_t count) {
  counts_.hear(origin, count);
  if (next_ != origin) endings_.push_back({next_, origin, count});
}

void RingFlow::used(ItemName item) {
  const auto found = here_.find(item);
  require(found != here_.end() && found->second.is_to_use,
          "an item is used once, while it is here");
  found->second.is_to_use = false;
  counts_.use(item.origin);
  leave_if_done(item);
}

std::optional<Send> RingFlow::next_send() {
  if (to_send_.empty() || credits_ == 0) return std::nullopt;
  const ItemName item = to_send_.front();
  to_send_.pop_front();
  --credits_;
  here_.at(item).is_to_send = false;
  leave_if_done(item);
  return Send{next_, item};
}

void RingFlow::leave_if_done(ItemName item) {
  const auto found = here_.find(item);
  if (found->second.is_to_use || found->second.is_to_send) return;
  here_.erase(found);
  if (item.origin == shape_.place) {
    --own_here_;
  } else {
    --filled_;
    ++freed_;
  }
}

std::optional<Ending> RingFlow::next_ending() {
  if (endings_.empty() || !to_send_.empty()) return std::nullopt;
  const Ending ending = endings_.front();
  endings_.pop_front();
  return ending;
}

std::optional<Credit> RingFlow::next_credit() {
  if (freed_ == 0) return std::nullopt;
  return Credit{previous_, std::exchange(freed_, 0)};
}

bool RingFlow::is_to_send(ItemName item) const {
  const auto found = here_.find(item);
  return found != here_.end() && found->second.is_to_send;
}

bool RingFlow::is_over() const { return counts_.is_over() && here_.empty() && endings_.empty(); }

}  // namespace blockyard::ring
