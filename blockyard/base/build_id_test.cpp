// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/build_id.h"

#include <gtest/gtest.h>

namespace blockyard::base {
namespace {

TEST(BuildId, IsHexadecimalAndTheSameAtEveryCall) {
  const std::string id = build_id();
  if (id.empty()) GTEST_SKIP() << "the linker of this test wrote no build ID";
  EXPECT_GE(id.size(), 16U);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos) << id;
  EXPECT_EQ(build_id(), id);
}

}  // namespace
}  // namespace blockyard::base
