// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/decimal.h"

#include <gtest/gtest.h>

namespace blockyard::base {
namespace {

TEST(Decimal, HasTheWantedDigits) {
  EXPECT_EQ(decimal(-76.00910803237, 4), "-76.0091");
  EXPECT_EQ(decimal(0.25, 0), "0");
  EXPECT_EQ(decimal(-0.06, 1), "-0.1");
}

TEST(Decimal, ZeroHasNoSign) {
  EXPECT_EQ(decimal(-0.0, 2), "0.00");
  EXPECT_EQ(decimal(-1.7e-16, 10), "0.0000000000");
  EXPECT_EQ(decimal(-0.04, 1), "0.0");
}

TEST(Decimal, WhatIsNotANumberStaysVisible) { EXPECT_EQ(decimal(-1.0 / 0.0, 3), "-inf"); }

}  // namespace
}  // namespace blockyard::base
