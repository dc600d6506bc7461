// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/costs.h"

#include <gtest/gtest.h>

namespace blockyard::blas {
namespace {

constexpr double call = 1e9;  // flops
constexpr double few_bytes = 1e5, many_bytes = 1e9;

/// A machine with 1 Gflop/s that has computed for so many seconds.
Costs after(double seconds) {
  Costs costs;
  for (double done = 0; done < seconds; done += 1) costs.note_local(call, 1);
  return costs;
}

TEST(Costs, send_nothing_before_anything_was_computed_here) {
  const Costs costs;
  EXPECT_FALSE(costs.is_worth_connecting());
  EXPECT_FALSE(costs.prefers_device(call, few_bytes));
}

TEST(Costs, try_a_device_once_a_trial_can_cost_little) {
  const Costs costs = after(1);
  EXPECT_TRUE(costs.is_worth_connecting());
  EXPECT_TRUE(costs.prefers_device(call, few_bytes));
  EXPECT_FALSE(costs.prefers_device(call, many_bytes)) << "sending alone takes too long";
}

TEST(Costs, stay_with_the_faster_place) {
  Costs costs = after(1);
  costs.note_device(call, few_bytes, 0.1);
  EXPECT_TRUE(costs.prefers_device(call, few_bytes));
  EXPECT_TRUE(costs.prefers_device(10 * call, few_bytes));
  EXPECT_FALSE(costs.prefers_device(call, many_bytes));
}

TEST(Costs, leave_a_device_that_is_slow) {
  Costs costs = after(1);
  costs.note_device(call, few_bytes, 3);
  EXPECT_FALSE(costs.prefers_device(call, few_bytes));
}

TEST(Costs, notice_that_a_device_has_become_slow) {
  Costs costs = after(1);
  costs.note_device(call, few_bytes, 0.1);
  for (int k = 0; k < 10; ++k) costs.note_device(call, few_bytes, 2);
  EXPECT_FALSE(costs.prefers_device(call, few_bytes));
}

TEST(Costs, try_again_when_the_loss_has_become_small_beside_the_work) {
  Costs costs = after(1);
  costs.note_device(call, few_bytes, 3);
  for (int k = 0; k < 200; ++k) costs.note_local(call, 1);
  EXPECT_TRUE(costs.prefers_device(call, few_bytes));
}

/// Whatever the device does, trials lose no more than they may.
TEST(Costs, bound_what_trials_lose) {
  for (const double slowness : {1.05, 1.5, 4.0, 20.0}) {
    Costs costs;
    double here = 0, spent = 0;
    for (int k = 0; k < 2000; ++k) {
      here += 0.01;
      if (costs.is_worth_connecting() && costs.prefers_device(call / 100, few_bytes)) {
        costs.note_device(call / 100, few_bytes, 0.01 * slowness);
        spent += 0.01 * slowness;
      } else {
        costs.note_local(call / 100, 0.01);
        spent += 0.01;
      }
    }
    EXPECT_LT(spent, 1.05 * here + 0.02 + 0.01 * slowness) << slowness;
  }
}

TEST(Costs, offer_nothing_any_more_that_a_device_refuses) {
  Costs costs = after(10);
  for (int k = 0; k < 3; ++k) costs.note_refusal(0.001);
  EXPECT_FALSE(costs.prefers_device(call, few_bytes));
}

}  // namespace
}  // namespace blockyard::blas
