// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/recording.h"

#include <gtest/gtest.h>

namespace blockyard::base {
namespace {

TraceEvent event(int number) { return {.begin_seconds = 1.0 * number, .what = number}; }

TEST(TraceRing, KeepsTheLatestInOrderAndCountsWhatItDropped) {
  TraceRing ring(4);
  for (int k = 0; k < 10; ++k) ring.add(event(k));
  EXPECT_EQ(ring.dropped(), 6u);
  const auto events = ring.take();
  ASSERT_EQ(events.size(), 4u);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(events[static_cast<std::size_t>(k)].what, 6 + k);
}

TEST(TraceRing, OfNoCapacityNotesNothing) {
  TraceRing ring;
  ring.add(event(1));
  EXPECT_FALSE(ring.is_on());
  EXPECT_TRUE(ring.take().empty());
}

TEST(MemoryLine, StaysBoundedAndSpansTheWholeTime) {
  MemoryLine line(16);
  int taken = 0;
  for (int ms = 0; ms < 100000; ++ms) {
    const double now = ms * 1e-3;
    if (!line.is_due(now)) continue;
    line.add({now, {ms, 0, 0, 0}});
    ++taken;
  }
  EXPECT_LE(line.samples().size(), 16u);
  EXPECT_LT(taken, 200);
  EXPECT_EQ(line.samples().front().at_seconds, 0);
  EXPECT_GT(line.samples().back().at_seconds, 80);
  for (std::size_t k = 1; k < line.samples().size(); ++k)
    EXPECT_GT(line.samples()[k].at_seconds, line.samples()[k - 1].at_seconds);
}

TEST(MemoryLine, OfNoCapacityIsNeverDue) {
  EXPECT_FALSE(MemoryLine().is_due(1e12));
  EXPECT_TRUE(MemoryLine(2).is_due(0));
}

}  // namespace
}  // namespace blockyard::base
