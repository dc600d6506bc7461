// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/recording.h"

#include <gtest/gtest.h>

namespace blockyard::base {
namespace {

TraceEvent event(double begin, double seconds, std::uint8_t lane = 0) {
  return {.begin_seconds = begin, .seconds = static_cast<float>(seconds), .lane = lane};
}

TEST(TraceLine, KeepsEveryEventInOrderWhileThereIsRoom) {
  TraceLine line(100);
  for (int k = 0; k < 100; ++k) line.add(event(k, 1e-6));
  const auto events = line.take();
  ASSERT_EQ(events.size(), 100u);
  for (int k = 0; k < 100; ++k) EXPECT_EQ(events[static_cast<std::size_t>(k)].begin_seconds, k);
}

TEST(TraceLine, StaysBoundedSpansTheWholeTimeAndKeepsLongEvents) {
  constexpr int count = 100000;
  TraceLine line(4096);
  for (int k = 0; k < count; ++k) {
    const bool is_long = k % 10000 == 5000;
    line.add(event(1e-3 * k, is_long ? 0.9 : 1e-6, k % 3 == 0 ? 1 : 0));
  }
  std::uint64_t all = 0;
  int long_ones = 0;
  const auto events = line.take();
  EXPECT_LE(events.size(), 4096u);
  for (const TraceEvent& one : events) {
    all += 1 + one.joined;
    if (one.joined == 0 && one.seconds == 0.9f) ++long_ones;
  }
  EXPECT_EQ(all, static_cast<std::uint64_t>(count));
  EXPECT_EQ(long_ones, count / 10000);
  EXPECT_LT(events.front().begin_seconds, 1e-9);
  EXPECT_GT(events.back().begin_seconds + static_cast<double>(events.back().seconds), 99.9);
}

TEST(TraceLine, JoinsOnEachLaneApart) {
  TraceLine line(64);
  for (int k = 0; k < 1000; ++k) line.add(event(1e-3 * k, 5e-4, static_cast<std::uint8_t>(k % 2)));
  double odd = 0, even = 0;
  const auto events = line.take();
  EXPECT_LE(events.size(), 64u);
  for (const TraceEvent& one : events) (one.lane == 1 ? odd : even) += 1 + one.joined;
  EXPECT_EQ(odd, 500);
  EXPECT_EQ(even, 500);
}

TEST(TraceLine, OfNoCapacityNotesNothing) {
  TraceLine line;
  line.add(event(1, 1));
  EXPECT_FALSE(line.is_on());
  EXPECT_TRUE(line.take().empty());
}

TEST(TraceLine, IsMadeCoarserWhereFewerAreWanted) {
  TraceLine line(4096);
  for (int k = 0; k < 4000; ++k) line.add(event(1e-3 * k, 1e-6));
  line.add(event(4, 1));
  const auto events = line.take(100);
  EXPECT_LE(events.size(), 100u);
  EXPECT_GT(events.size(), 20u);
  EXPECT_EQ(events.back().seconds, 1.0f);
  std::uint64_t all = 0;
  for (const TraceEvent& one : events) all += 1 + one.joined;
  EXPECT_EQ(all, 4001u);
}

TEST(UsualTime, OfWhatIsShortIsTakenEveryEighthTime) {
  UsualTime usual;
  int timed = 0;
  for (int k = 0; k < 1000; ++k) {
    if (!usual.is_due()) continue;
    usual.add(1e-7);
    ++timed;
  }
  EXPECT_GT(timed, 150);
  EXPECT_LT(timed, 300);
  EXPECT_NEAR(usual.seconds(), 1e-7, 1e-8);
  usual.add(1);  // a long one: all are timed until it is forgotten
  for (int k = 0; k < 50; ++k) EXPECT_TRUE(usual.is_due());
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
