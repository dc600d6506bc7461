// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/scratch.h"

#include <gtest/gtest.h>

#include <fstream>

#include "blockyard/base/error.h"

namespace blockyard::job {
namespace {

namespace fs = std::filesystem;

TEST(ScratchFolder, IsFreshAndGoesWithAllInIt) {
  fs::path first;
  {
    const ScratchFolder one(fs::temp_directory_path());
    const ScratchFolder two(fs::temp_directory_path());
    EXPECT_NE(one.path(), two.path());
    first = one.path();
    std::ofstream(first / "file") << "x";
    EXPECT_TRUE(fs::exists(first / "file"));
  }
  EXPECT_FALSE(fs::exists(first));
}

TEST(ScratchFolder, NamesAPlaceWhereItCannotBe) {
  try {
    const ScratchFolder folder("/dev/null/x");
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::io);
    EXPECT_NE(std::string(error.what()).find("/dev/null/x"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace blockyard::job
