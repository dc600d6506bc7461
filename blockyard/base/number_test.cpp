// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/number.h"

#include <gtest/gtest.h>

#include <cmath>

namespace blockyard::base {
namespace {

TEST(Number, is_read_as_programs_write_it) {
  EXPECT_EQ(parse_number("-1.5"), -1.5);
  EXPECT_EQ(parse_number("+2"), 2);
  EXPECT_EQ(parse_number(".5E-3"), 5e-4);
  EXPECT_EQ(parse_number("1.0D-05"), 1e-5);
  EXPECT_EQ(parse_number("3d2"), 300);
  EXPECT_EQ(parse_number("-inf"), -INFINITY);
  EXPECT_TRUE(std::isnan(parse_number("NaN").value()));
}

TEST(Number, is_the_whole_word) {
  for (const char* word : {"", "+", "+-1", "1,5", "1.0 ", "1.0x", "d", "1d", "0x10", "1e999"})
    EXPECT_EQ(parse_number(word), std::nullopt) << word;
}

}  // namespace
}  // namespace blockyard::base
