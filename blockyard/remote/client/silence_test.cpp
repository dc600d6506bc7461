// SPDX-License-Identifier: Apache-2.0
#include "blockyard/remote/client/silence.h"

#include <gtest/gtest.h>

namespace blockyard::remote {
namespace {

TEST(Silence, lasts_since_something_was_heard_or_since_the_wait_began) {
  Silence silence(10, 0.5);
  EXPECT_DOUBLE_EQ(silence.until(10.5, 3), 0.5);
  EXPECT_DOUBLE_EQ(silence.until(11, 10.75), 0.25);
  EXPECT_DOUBLE_EQ(silence.until(11.5, 10.75), 0.75);
}

TEST(Silence, does_not_count_what_this_process_was_stopped_for) {
  Silence silence(10, 0.5);
  EXPECT_DOUBLE_EQ(silence.until(10.5, 3), 0.5);
  EXPECT_DOUBLE_EQ(silence.until(3610.5, 3), 0.5) << "an hour without asking";
  EXPECT_DOUBLE_EQ(silence.until(3611, 3), 1);
  EXPECT_DOUBLE_EQ(silence.until(3611.5, 3611.25), 0.25) << "until something is heard";
  EXPECT_DOUBLE_EQ(silence.until(7211.5, 7211.25), 0) << "what came meanwhile was heard now";
}

}  // namespace
}  // namespace blockyard::remote
