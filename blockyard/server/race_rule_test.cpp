// SPDX-License-Identifier: Apache-2.0
#include "blockyard/server/race_rule.h"

#include <gtest/gtest.h>

namespace blockyard::server {
namespace {

wire::Access access(int worker, std::uint64_t epoch = 1, std::uint64_t iteration = 0) {
  return {worker, 10 * worker, epoch, iteration};
}

constexpr Verb verbs[] = {Verb::get, Verb::put, Verb::accumulate};

TEST(RaceRule, lets_different_workers_only_all_get_or_all_accumulate) {
  for (const Verb first : verbs) {
    for (const Verb second : verbs) {
      RaceRecord record;
      EXPECT_FALSE(record.meet(first, access(0), Identity::worker));
      const auto clash = record.meet(second, access(1), Identity::worker);
      const bool is_fine = first == second && first != Verb::put;
      ASSERT_EQ(clash.has_value(), !is_fine) << text_of(first) << " then " << text_of(second);
      if (!clash) continue;
      EXPECT_EQ(clash->earlier, access(0));
      EXPECT_EQ(clash->earlier_verb, first);
    }
  }
}

TEST(RaceRule, lets_one_worker_mix_everything) {
  RaceRecord record;
  for (const Verb first : verbs)
    for (const Verb second : verbs) {
      EXPECT_FALSE(record.meet(first, access(3), Identity::worker));
      EXPECT_FALSE(record.meet(second, access(3, 1, 8), Identity::worker));
    }
}

TEST(RaceRule, tells_iterations_of_one_worker_apart_when_asked) {
  RaceRecord record;
  EXPECT_FALSE(record.meet(Verb::put, access(3, 1, 7), Identity::iteration));
  EXPECT_FALSE(record.meet(Verb::get, access(3, 1, 7), Identity::iteration));
  const auto clash = record.meet(Verb::get, access(3, 1, 8), Identity::iteration);
  ASSERT_TRUE(clash);
  EXPECT_EQ(clash->earlier.iteration, 7U);
}

TEST(RaceRule, forgets_at_a_barrier_and_does_not_mind_late_comers) {
  RaceRecord record;
  EXPECT_FALSE(record.meet(Verb::put, access(0, 1), Identity::worker));
  EXPECT_FALSE(record.meet(Verb::put, access(1, 2), Identity::worker));
  EXPECT_FALSE(record.meet(Verb::put, access(0, 1), Identity::worker));
  EXPECT_TRUE(record.meet(Verb::put, access(0, 2), Identity::worker));
}

TEST(RaceRule, finds_the_other_hand_after_many_of_the_same) {
  RaceRecord record;
  for (int worker = 0; worker < 9; ++worker)
    EXPECT_FALSE(record.meet(Verb::get, access(worker), Identity::worker));
  for (int worker = 0; worker < 9; ++worker)
    EXPECT_TRUE(record.meet(Verb::put, access(worker), Identity::worker)) << worker;
}

}  // namespace
}  // namespace blockyard::server
