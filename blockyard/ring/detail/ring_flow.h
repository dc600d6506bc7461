// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>

#include "blockyard/ring/detail/endings.h"
#include "blockyard/ring/flow.h"

namespace blockyard::ring {

/// From neighbour to neighbour: an item passes places - 1 others.
///
/// Why it cannot block: a place's own item enters only if the next place keeps a free slot, so
/// some place of the ring always has one. Items before that place move on, items at the end
/// of their way leave their slots when they were used, and a use waits for nothing.
class RingFlow final : public Flow {
 public:
  explicit RingFlow(const LaneShape& shape);

  [[nodiscard]] bool may_give() const override;
  ItemName give() override;
  void end_giving() override;
  void arrive(int from, ItemName item) override;
  void take_credit(int from, int slots) override;
  void hear_ending(int origin, std::int64_t count) override;
  void used(ItemName item) override;
  [[nodiscard]] std::optional<Send> next_send() override;
  [[nodiscard]] std::optional<Ending> next_ending() override;
  [[nodiscard]] std::optional<Credit> next_credit() override;
  [[nodiscard]] bool is_to_send(ItemName item) const override;
  [[nodiscard]] bool is_over() const override;

 private:
  /// What an item here still waits for.
  struct Resident {
    bool is_to_use = true;
    bool is_to_send = false;
  };
  void leave_if_done(ItemName item);

  LaneShape shape_;
  int next_;
  int previous_;
  int credits_;  ///< slots of the next place that this one may fill
  int filled_ = 0;
  int freed_ = 0;  ///< slots that the previous place is to be told of
  std::int64_t given_ = 0;
  int own_here_ = 0;
  std::map<ItemName, Resident> here_;
  std::deque<ItemName> to_send_;  ///< in the order of arrival
  std::deque<Ending> endings_;    ///< after all items that came before them
  Endings counts_;
};

}  // namespace blockyard::ring
