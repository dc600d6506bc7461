// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "blockyard/ring/detail/endings.h"
#include "blockyard/ring/flow.h"

namespace blockyard::ring {

/// From the giver to each other place: first to the next one, then to that after it, so that in the
/// same step no two givers send to the same place. Each pair has its own slots, so nothing blocks:
/// an item takes one hop, and its slot is free when it was used.
class DirectFlow final : public Flow {
 public:
  explicit DirectFlow(const LaneShape& shape);

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
  [[nodiscard]] int at_step(int step) const;

  LaneShape shape_;
  std::vector<int> credits_;  ///< by place: its slots that this one may fill
  std::vector<int> filled_;   ///< by place: slots here with its items
  std::vector<int> freed_;    ///< by place: slots that it is to be told of
  std::int64_t given_ = 0;
  std::int64_t own_unused_ = 0;
  /// Own items on their way, in order, and the step to come of each.
  std::deque<std::pair<ItemName, int>> to_send_;
  std::deque<Ending> endings_;
  Endings counts_;
};

}  // namespace blockyard::ring
