// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/apart.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "blockyard/base/error.h"

namespace blockyard::store {
namespace {

namespace fs = std::filesystem;

class Apart : public testing::Test {
 protected:
  Apart() {
    fs::create_directories(folder_ / "inner");
    std::ofstream(in_) << "read";
    fs::create_symlink("in", folder_ / "link");
  }
  ~Apart() override { fs::remove_all(folder_); }

  static std::string refusal(const std::vector<std::string>& inputs,
                             const std::vector<std::string>& outputs) {
    try {
      check_apart(inputs, outputs);
      return "";
    } catch (const base::Error& error) {
      return error.what();
    }
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("apart_" + std::to_string(::getpid()));
  const std::string in_ = folder_ / "in";
};

TEST_F(Apart, an_output_is_no_input_whatever_its_name) {
  for (const fs::path& out : {folder_ / "in", folder_ / "link", folder_ / "inner" / ".." / "in"})
    EXPECT_EQ(refusal({"", in_}, {"", out}),
              out.string() + " would be written over, but it is read");
  EXPECT_EQ(refusal({in_}, {folder_ / "out"}), "");
  EXPECT_EQ(refusal({in_, in_}, {}), "");
}

TEST_F(Apart, two_outputs_are_two_files) {
  const std::string out = folder_ / "out";
  EXPECT_EQ(refusal({}, {out, folder_ / "inner" / ".." / "out"}),
            (folder_ / "inner" / ".." / "out").string() + " is named for two outputs");
  EXPECT_EQ(refusal({}, {"-", out, "-"}), "standard output (-) is named for two outputs");
  EXPECT_EQ(refusal({"/dev/null"}, {"", "", "/dev/null", "/dev/null", "-"}), "");
}

}  // namespace
}  // namespace blockyard::store
