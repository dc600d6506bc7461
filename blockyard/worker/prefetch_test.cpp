// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/prefetch.h"

#include <gtest/gtest.h>

#include "blockyard/base/error.h"

namespace blockyard::worker {
namespace {

TEST(Prefetch, reads_its_depth) {
  EXPECT_TRUE(parse_prefetch("auto").is_auto);
  EXPECT_EQ(parse_prefetch("0"), (PrefetchDepth{false, 0}));
  EXPECT_EQ(parse_prefetch("64"), (PrefetchDepth{false, 64}));
  for (const char* text : {"", "65", "-1", "2x", "many"})
    EXPECT_THROW((void)parse_prefetch(text), base::Error) << text;
}

TEST(Prefetch, is_as_deep_as_a_transfer_is_long_in_periods) {
  DepthChoice choice;
  choice.waited(100e-6, 10e-6);
  EXPECT_EQ(choice.depth, 11);
  choice.waited(100e-6, 0);
  EXPECT_EQ(choice.depth, 21);
  DepthChoice endless;
  endless.waited(1, 1e-9);
  EXPECT_EQ(endless.depth, PrefetchDepth::most);
}

TEST(Prefetch, is_halved_by_waste_down_to_nothing_and_grows_again) {
  DepthChoice choice;
  choice.waited(100e-6, 10e-6);
  choice.waste();
  EXPECT_EQ(choice.depth, 5);
  choice.waited(100e-6, 10e-6);
  EXPECT_EQ(choice.depth, 5);
  for (int n = 0; n < 4; ++n) choice.waste();
  EXPECT_EQ(choice.depth, 0);
  choice.went_well(64);
  EXPECT_EQ(choice.depth, 1);
  choice.went_well(640);
  choice.waited(100e-6, 10e-6);
  EXPECT_EQ(choice.depth, 11);
  EXPECT_EQ(choice.wasted, 5U);
  EXPECT_NE(choice.reason().find("evicted before use"), std::string::npos);
}

}  // namespace
}  // namespace blockyard::worker
