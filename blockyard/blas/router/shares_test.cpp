// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/shares.h"

#include <gtest/gtest.h>

namespace blockyard::blas {
namespace {

using Range = Shares::Range;

TEST(Shares, meet_in_the_middle_without_a_gap_or_an_overlap) {
  Shares shares(10);
  EXPECT_EQ(shares.take_front(4), (Range{0, 4}));
  EXPECT_EQ(shares.take_back(3), (Range{7, 10}));
  EXPECT_EQ(shares.take_front(2), (Range{4, 6}));
  EXPECT_EQ(shares.take_back(3), (Range{6, 7}));
  EXPECT_FALSE(shares.take_front(1));
  EXPECT_FALSE(shares.take_back(1));
}

TEST(Shares, are_complete_when_all_parts_are_written) {
  Shares shares(4);
  ASSERT_TRUE(shares.take_front(4));
  shares.note_under_way(0, [] { return true; });
  EXPECT_TRUE(shares.begin_write(0));
  shares.end_write(0);
  EXPECT_FALSE(shares.wait_for_late());
  EXPECT_EQ(shares.front_complete(), 4);
}

TEST(Shares, give_a_late_part_back_which_the_device_writes_no_more) {
  Shares shares(4);
  ASSERT_TRUE(shares.take_front(2));
  ASSERT_TRUE(shares.take_front(2));
  shares.note_under_way(0, [] { return true; });
  shares.note_under_way(2, [] { return true; });
  EXPECT_EQ(shares.wait_for_late(), (Range{2, 4}));
  EXPECT_TRUE(shares.begin_write(0));
  shares.end_write(0);
  EXPECT_FALSE(shares.begin_write(2));
  EXPECT_FALSE(shares.wait_for_late());
  EXPECT_EQ(shares.written(), 2);
}

TEST(Shares, leave_a_late_part_alone_while_it_is_read) {
  Shares shares(2);
  ASSERT_TRUE(shares.take_front(2));
  int asked = 0;
  shares.note_under_way(0, [&] { return ++asked == 3; });
  EXPECT_EQ(shares.wait_for_late(), (Range{0, 2}));
  EXPECT_EQ(asked, 3);
}

TEST(Shares, leave_the_first_part_to_the_device_until_it_is_late) {
  Shares shares(6, 2);
  EXPECT_EQ(shares.take_back(9), (Range{2, 6}));
  EXPECT_FALSE(shares.take_back(9));
  EXPECT_EQ(shares.wait_for_late(), (Range{0, 2}));
  EXPECT_FALSE(shares.take_front(1));
  EXPECT_FALSE(shares.wait_for_late());
  Shares other(6, 2);
  EXPECT_EQ(other.take_back(9), (Range{2, 6}));
  EXPECT_EQ(other.take_front(9), (Range{0, 2}));
}

TEST(Shares, of_a_device_that_ends_go_to_another_one) {
  Shares shares(6, 0, 2);
  EXPECT_EQ(shares.take_front(2, 0), (Range{0, 2}));
  EXPECT_EQ(shares.take_front(2, 1), (Range{2, 4}));
  shares.note_under_way(0, [] { return false; });
  shares.end_front(0);
  EXPECT_EQ(shares.take_front(2, 1), (Range{0, 2}));
  EXPECT_EQ(shares.take_front(2, 1), (Range{4, 6}));
  EXPECT_FALSE(shares.take_front(2, 1));
  for (const std::int64_t from : {2, 0, 4}) {
    EXPECT_TRUE(shares.begin_write(from));
    shares.end_write(from);
  }
  shares.end_front(1);
  EXPECT_FALSE(shares.wait_for_rest());
  EXPECT_EQ(shares.written(), 6);
}

TEST(Shares, that_no_device_computes_are_left_for_the_end) {
  Shares shares(6, 0, 2);
  EXPECT_EQ(shares.take_front(2, 1), (Range{0, 2}));
  shares.note_under_way(0, [] { return false; });
  shares.end_front(0);
  shares.end_front(1);
  EXPECT_EQ(shares.wait_for_rest(), (Range{2, 6}));
  EXPECT_EQ(shares.wait_for_rest(), (Range{0, 2}));
  EXPECT_FALSE(shares.wait_for_rest());
}

TEST(Shares, give_back_what_a_device_ends_without) {
  Shares shares(6);
  ASSERT_TRUE(shares.take_front(2));
  ASSERT_TRUE(shares.take_front(2));
  ASSERT_TRUE(shares.begin_write(0));
  shares.end_write(0);
  shares.note_under_way(2, [] { return false; });
  shares.end_front();
  EXPECT_EQ(shares.take_back(9), (Range{4, 6}));
  EXPECT_EQ(shares.wait_for_late(), (Range{2, 4}));
  EXPECT_FALSE(shares.wait_for_late());
  EXPECT_EQ(shares.front_complete(), 2);
}

}  // namespace
}  // namespace blockyard::blas
