// SPDX-License-Identifier: Apache-2.0
#include "blockyard/input/find_program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "blockyard/base/error.h"

namespace blockyard::input {
namespace {

namespace fs = std::filesystem;

class FindProgram : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* file : {"qm/eom/rcis.sialx", "qm/eom/old/rcis.sialx", "qm/eom/old/lr.sialx",
                             "qm/cc/mp2.sialx", "qm/scf/MP2.SIALX", "qm/top.sial"}) {
      fs::create_directories((folder_ / file).parent_path());
      std::ofstream(folder_ / file) << "sial p\nendsial p\n";
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string found(const std::vector<std::string>& folders,
                                  const std::string& name) const {
    std::vector<std::string> whole;
    for (const std::string& folder : folders) whole.push_back((folder_ / folder).string());
    return fs::relative(find_program_below(whole, name), folder_).string();
  }

  const fs::path folder_ =
      fs::temp_directory_path() / (std::string("blockyard_find_program_") +
                                   testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(FindProgram, TakesTheLeastDeepOneOfTheFirstFolderThatHasIt) {
  EXPECT_EQ(found({"qm"}, "top.siox"), "qm/top.sial");
  EXPECT_EQ(found({"qm"}, "rcis.siox"), "qm/eom/rcis.sialx");
  EXPECT_EQ(found({"qm"}, "lr.siox"), "qm/eom/old/lr.sialx");
  EXPECT_EQ(found({"qm/eom/old", "qm"}, "rcis.siox"), "qm/eom/old/rcis.sialx");
  EXPECT_EQ(found({"qm/cc", "qm"}, "mp2.siox"), "qm/cc/mp2.sialx");
}

TEST_F(FindProgram, RefusesTwoThatAreEquallyDeepAndNone) {
  EXPECT_THROW((void)found({"qm"}, "mp2.siox"), base::Error);
  EXPECT_THROW((void)found({"qm", "nowhere"}, "scf.siox"), base::Error);
}

}  // namespace
}  // namespace blockyard::input
