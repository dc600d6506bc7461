// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/kept_bytes.h"

#include <gtest/gtest.h>

namespace blockyard::job {
namespace {

TEST(KeptBytes, AllComesBack) {
  worker::Kept kept;
  kept.scalars["the x"] = {{42, -1}, true};
  kept.arrays["a"] = {{2, 1}, {1.5, 2.5}, array::ElementType::f32};
  kept.arrays["none"] = {};
  kept.distributed["d"] = {{2, 3}, {5}};
  kept.element_types["d"] = array::ElementType::c64;
  const worker::Kept found = decode_kept(encode(kept));
  EXPECT_EQ(found.scalars, kept.scalars);
  EXPECT_EQ(found.arrays, kept.arrays);
  EXPECT_EQ(found.distributed, kept.distributed);
  EXPECT_EQ(found.element_types, kept.element_types);
  EXPECT_TRUE(decode_kept(encode(worker::Kept())).scalars.empty());
}

}  // namespace
}  // namespace blockyard::job
