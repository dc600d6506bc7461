// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ring/history.h"

#include <gtest/gtest.h>

#include <numeric>

namespace blockyard::ring {
namespace {

double sum(std::span<const double> bins) { return std::accumulate(bins.begin(), bins.end(), 0.0); }

TEST(History, keeps_sums_and_peaks_while_bins_grow) {
  History history;
  history.begin(5.0, 2);
  std::int64_t items = 0;
  for (int k = 0; k < 5000; ++k) {
    const double now = 5.0 + 0.01 * k;
    history.spend(History::Row::update_seconds, now, now + 0.006);
    history.hold(History::Row::visiting_bytes, now, k == 1234 ? 900 : 100);
    history.count(History::LaneRow::applied, static_cast<std::size_t>(k % 2), now, 1);
    ++items;
  }
  EXPECT_LE(history.row(History::Row::update_seconds).size(), History::most_bins);
  EXPECT_NEAR(sum(history.row(History::Row::update_seconds)), 5000 * 0.006, 1e-9);
  EXPECT_EQ(history.lanes(), 2U);
  EXPECT_EQ(sum(history.row(History::LaneRow::applied, 0)) +
                sum(history.row(History::LaneRow::applied, 1)),
            static_cast<double>(items));
  const auto levels = history.row(History::Row::visiting_bytes);
  EXPECT_EQ(*std::max_element(levels.begin(), levels.end()), 900);
  EXPECT_EQ(levels[static_cast<std::size_t>(12.34 / history.bin_seconds())], 900);
  EXPECT_EQ(levels[0], 100);
  for (const double share : history.row(History::Row::update_seconds))
    EXPECT_LE(share, history.bin_seconds());
}

TEST(History, a_level_lasts_until_it_changes) {
  History history;
  history.begin(0, 1);
  history.hold(History::Row::own_bytes, 0.0005, 7);
  history.hold(History::Row::own_bytes, 0.0305, 3);
  const auto levels = history.row(History::Row::own_bytes);
  ASSERT_EQ(levels.size(), 31U);
  EXPECT_EQ(levels[15], 7);
  EXPECT_EQ(levels[30], 7);  // the most in this bin
}

TEST(History, goes_through_bytes) {
  History history;
  history.begin(0, 1);
  history.count(History::LaneRow::sent_bytes, 0, 0.01, 44);
  base::FieldWriter out;
  history.save(out);
  const auto bytes = out.take();
  History other;
  base::FieldReader in(bytes);
  other.load(in);
  EXPECT_EQ(sum(other.row(History::LaneRow::sent_bytes, 0)), 44);
}

}  // namespace
}  // namespace blockyard::ring
