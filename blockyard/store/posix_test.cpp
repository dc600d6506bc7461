// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/posix.h"

#include <gtest/gtest.h>

#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::store {
namespace {

TEST(PosixStore, says_that_a_disk_is_full) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this machine has no /dev/full";
  const auto file = PosixStore().open("/dev/full", OpenMode::create);
  try {
    file->write_at(0, std::vector<std::byte>(10));
    ADD_FAILURE() << "written";
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(), "cannot write /dev/full: No space left on device");
  }
}

}  // namespace
}  // namespace blockyard::store
