// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/server/rate.h"

#include <gtest/gtest.h>

namespace blockyard::remote {
namespace {

TEST(Rate, is_the_mean_over_the_last_ten_seconds) {
  Rate rate;
  EXPECT_EQ(rate.a_second(0), 0);
  for (int second = 100; second < 130; ++second) rate.add(second + 0.5, 7);
  EXPECT_NEAR(rate.a_second(129.999), 7, 0.01);
  EXPECT_NEAR(rate.a_second(134.999), 3.5, 0.01);
  EXPECT_EQ(rate.a_second(139.5), 0);
  EXPECT_EQ(rate.a_second(1e6), 0);
}

TEST(Rate, of_a_short_life_is_the_mean_of_that) {
  Rate rate;
  rate.add(50.2, 6);
  EXPECT_EQ(rate.a_second(50.5), 6);
  EXPECT_EQ(rate.a_second(53), 2);
}

TEST(Rate, what_comes_late_counts_as_now) {
  Rate rate;
  rate.add(60.5, 1);
  rate.add(59.5, 1);
  EXPECT_EQ(rate.a_second(60.9), 2);
}

}  // namespace
}  // namespace blockyard::remote
