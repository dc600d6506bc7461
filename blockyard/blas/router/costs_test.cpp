// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/costs.h"

#include <gtest/gtest.h>

namespace blockyard::blas {
namespace {

constexpr double call = 1e9;  // flops
constexpr double few_bytes = 1e5, many_bytes = 1e9;

/// Calls of one class, and what trials may lose.
struct Calls {
  Trials trials;
  Costs costs;

  /// On a machine with 1 Gflop/s that has computed for `seconds`.
  static Calls after(double seconds) {
    Calls calls;
    for (double done = 0; done < seconds; done += 1) calls.here(1);
    return calls;
  }
  void here(double seconds) { costs.note_local(call, seconds, trials); }
  void there(double seconds) { costs.note_device(call, few_bytes, seconds, trials); }
  bool prefers_device(double flops, double bytes) {
    return costs.prefers_device(flops, bytes, trials);
  }
};

TEST(Costs, send_nothing_before_anything_was_computed_here) {
  Calls calls;
  EXPECT_FALSE(calls.prefers_device(call, few_bytes));
}

TEST(Costs, try_a_device_once_a_trial_can_cost_little) {
  Calls calls = Calls::after(1);
  EXPECT_TRUE(calls.prefers_device(call, few_bytes));
  EXPECT_FALSE(calls.prefers_device(call, many_bytes)) << "sending alone takes too long";
}

TEST(Costs, stay_with_the_faster_place) {
  Calls calls = Calls::after(1);
  calls.there(0.1);
  EXPECT_TRUE(calls.prefers_device(call, few_bytes));
  EXPECT_TRUE(calls.prefers_device(10 * call, few_bytes));
  EXPECT_FALSE(calls.prefers_device(call, many_bytes));
}

TEST(Costs, leave_a_device_that_is_slow) {
  Calls calls = Calls::after(1);
  calls.there(3);
  EXPECT_FALSE(calls.prefers_device(call, few_bytes));
}

TEST(Costs, notice_that_a_device_has_become_slow) {
  Calls calls = Calls::after(1);
  calls.there(0.1);
  for (int k = 0; k < 10; ++k) calls.there(2);
  EXPECT_FALSE(calls.prefers_device(call, few_bytes));
}

TEST(Costs, stay_where_they_are_while_places_are_about_equal) {
  Calls there = Calls::after(1), here = Calls::after(1);
  there.there(0.8);
  EXPECT_TRUE(there.prefers_device(call, few_bytes));
  for (int k = 0; k < 20; ++k) there.there(1.05);
  EXPECT_TRUE(there.prefers_device(call, few_bytes)) << "it is less than a tenth slower";
  for (int k = 0; k < 20; ++k) there.there(1.3);
  EXPECT_FALSE(there.prefers_device(call, few_bytes));
  here.trials.note_loss(1);
  here.there(0.95);
  EXPECT_FALSE(here.prefers_device(call, few_bytes)) << "it is less than a tenth faster";
}

TEST(Costs, try_again_when_the_loss_has_become_small_beside_the_work) {
  Calls calls = Calls::after(1);
  calls.there(3);
  for (int k = 0; k < 200; ++k) calls.here(1);
  EXPECT_TRUE(calls.prefers_device(call, few_bytes));
}

TEST(Costs, believe_a_guess_that_leaves_room_for_doubt) {
  Trials trials;
  const Guess guess{.local_rate = 1e9, .device_rate = 1e10};
  EXPECT_TRUE(Costs(guess).prefers_device(call, few_bytes, trials));
  const Guess near{.local_rate = 1e9, .device_rate = 1.5e9};
  EXPECT_FALSE(Costs(near).prefers_device(call, few_bytes, trials));
}

/// Whatever the device does, trials of all classes together lose no more than they may.
TEST(Costs, bound_what_trials_lose) {
  for (const double slowness : {1.05, 1.5, 4.0, 20.0}) {
    CostBook book;
    double here = 0, spent = 0;
    for (int k = 0; k < 4000; ++k) {
      const double flops = call / 100 * static_cast<double>(1 << 2 * (k % 4));
      const double seconds = flops * 1e-9, bytes = few_bytes;
      Costs& costs = book.of(class_of("dgemm", 1, flops, bytes), {});
      here += seconds;
      if (costs.prefers_device(flops, bytes, book.trials())) {
        costs.note_device(flops, bytes, seconds * slowness, book.trials());
        spent += seconds * slowness;
      } else {
        costs.note_local(flops, seconds, book.trials());
        spent += seconds;
      }
    }
    EXPECT_LT(spent, 1.05 * here + 0.02 + 0.64 * slowness) << slowness;
  }
}

TEST(Costs, offer_ever_more_rarely_what_a_device_refuses) {
  Calls calls = Calls::after(10);
  for (int k = 0; k < 3; ++k) calls.costs.note_refusal(0.001, calls.trials);
  const auto passed_over = [&] {
    int count = 0;
    while (count < 100 && !calls.prefers_device(call, few_bytes)) ++count;
    return count;
  };
  EXPECT_EQ(passed_over(), 7);
  calls.costs.note_refusal(0.001, calls.trials);
  EXPECT_EQ(passed_over(), 15);
  calls.costs.note_device(call, few_bytes, 0.001, calls.trials);
  EXPECT_EQ(passed_over(), 0) << "it was full for a moment";
}

TEST(CostBook, judges_calls_apart_that_differ_in_size_shape_or_threads) {
  const auto plain = class_of("dgemm", 2, 1.2e9, 1.2e6);
  EXPECT_EQ(plain, class_of("dgemm", 2, 2e9, 2e6));
  EXPECT_NE(plain, class_of("dgemm", 2, 1e11, 1e8));
  EXPECT_NE(plain, class_of("dgemm", 2, 1e9, 1e8)) << "thin";
  EXPECT_NE(plain, class_of("dgemm", 1, 1e9, 1e6));
  EXPECT_NE(plain, class_of("zgemm", 2, 1e9, 1e6));
}

TEST(CostBook, begins_a_class_with_what_its_neighbour_learned) {
  CostBook book;
  const auto known = class_of("dgemm", 2, 1e9, 1e6), larger = class_of("dgemm", 2, 1e11, 2e7),
             other = class_of("dtrsm", 2, 1e9, 1e6);
  Costs& costs = book.of(known, {});
  costs.note_local(1e9, 1, book.trials());
  costs.note_device(1e9, 1e6, 0.01, book.trials());
  EXPECT_NEAR(book.of(larger, {}).local_estimate(1e9), 1, 1e-12);
  EXPECT_TRUE(book.of(larger, {}).prefers_device(1e11, 2e7, book.trials()));
  EXPECT_EQ(book.of(other, {}).local_estimate(1e9), 0);
}

}  // namespace
}  // namespace blockyard::blas
