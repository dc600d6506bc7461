// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/scf_start.h"

#include <gtest/gtest.h>

#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::qc {
namespace {

using Values = std::vector<double>;

TEST(Occupations, fill_the_lowest_or_the_most_alike) {
  Values occupations(3, 0.0);
  occupy_lowest(occupations, 2);
  EXPECT_EQ(occupations, (Values{1, 1, 0}));
  EXPECT_THROW(occupy_lowest(occupations, 4), base::Error);
  Values alike(3, 0.0);
  occupy_most_alike(Values{0.1, -0.9, 0.2, 0.3, 0.2, 0.8}, 3, alike);
  EXPECT_EQ(alike, (Values{0, 1, 1}));
}

TEST(Occupations, scale_columns_by_orbital_number) {
  Values block = {1, 2, 3, 4};
  scale_columns(block, 2, Values{9, 0, 5}, 1);
  EXPECT_EQ(block, (Values{0, 0, 15, 20}));
  EXPECT_THROW(scale_columns(block, 2, Values{9, 0, 5}, 2), base::Error);
}

TEST(ZeroColumns, drops_the_first_ones) {
  Values matrix = {1, 2, 3, 4, 5, 6};
  zero_columns(matrix, 2, 2);
  EXPECT_EQ(matrix, (Values{0, 0, 0, 0, 5, 6}));
  EXPECT_THROW(zero_columns(matrix, 2, 4), base::Error);
}

TEST(NextDamping, follows_the_rules_of_each_case) {
  // Falling twice: faster and beyond twice the average, inside, below half of it.
  EXPECT_DOUBLE_EQ(next_damping({-4, -1, 1}, 2), 32);
  EXPECT_DOUBLE_EQ(next_damping({-1.5, -1, 1}, 2), 2);
  EXPECT_DOUBLE_EQ(next_damping({-0.4, -0.3, 1}, 2), 2.0 / 16);
  // Falling, but slower: much slower, a little.
  EXPECT_DOUBLE_EQ(next_damping({-0.1, -1, 1}, 2), 2.0 / 16);
  EXPECT_DOUBLE_EQ(next_damping({-0.5, -1, 1}, 2), 0.25 * 2);
  // Falling after rising, rising after falling.
  EXPECT_DOUBLE_EQ(next_damping({-2, 1, 1}, 2), 128);
  EXPECT_DOUBLE_EQ(next_damping({-0.2, 0.1, 1}, 2), 0.5);
  EXPECT_DOUBLE_EQ(next_damping({1, -1, 1}, 2), 128);
  EXPECT_DOUBLE_EQ(next_damping({0.05, -0.05, 1}, 2), 0.5);
  // Rising twice: faster, slower, alike. Never beyond 256.
  EXPECT_DOUBLE_EQ(next_damping({4, 1, 1}, 2), 32);
  EXPECT_DOUBLE_EQ(next_damping({0.25, 1, 1}, 2), 0.5);
  EXPECT_DOUBLE_EQ(next_damping({2, 1, 1}, 2), 32);
  EXPECT_DOUBLE_EQ(next_damping({4, 1, 1}, 200), 256);
}

TEST(ContractLadder, sums_over_the_first_and_third_index) {
  // m = 2, n = 1, l = 1, s = 2; i = 1, j = 2
  Values out(4, 9.0);
  contract_ladder(Values{1, 2, 3, 4}, {2, 1, 1, 2}, Values{5, 6, 7, 8}, {1, 2}, out);
  EXPECT_EQ(out, (Values{17, 39, 23, 53}));
  EXPECT_THROW(contract_ladder(Values{1}, {2, 1, 1, 2}, Values{5}, {1, 2}, out), base::Error);
}

}  // namespace
}  // namespace blockyard::qc
