// SPDX-License-Identifier: Apache-2.0
#include "blockyard/super/block_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "blockyard/base/error.h"
#include "blockyard/super/detail/test_operand.h"

namespace blockyard::super {
namespace {

using Values = std::vector<double>;

/// A block and its files, in a working folder of its own: tests run side by side.
class BlockFiles : public testing::Test {
 protected:
  BlockFiles() : block_("block_of_test", {2, 3}, Access::write) {
    add_block_files(table_);
    block_.segments = {3, 12};
    std::filesystem::create_directories(folder_);
    std::filesystem::current_path(folder_);
  }
  ~BlockFiles() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }
  void run(const char* name) {
    std::vector<Operand> operands = {block_.view()};
    table_.find(name)->function(operands, Context{});
  }
  std::string error_of(const char* name) {
    try {
      run(name);
    } catch (const base::Error& error) {
      return error.what();
    }
    return "";
  }

  Table table_;
  TestOperand block_;
  const std::filesystem::path before_ = std::filesystem::current_path();
  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string text_ = "block_of_test[3.12].txt";
  const std::string binary_ = "block_of_test[3.12].blk";
};

TEST_F(BlockFiles, a_line_has_the_indexes_of_its_value) {
  // The first line says where all but the last index begin: 7.
  std::ofstream(text_) << "7 3 6.5\n8 1 2\n7 1 1\n\n7 2 -3e2\n8 2 4\n8 3 6\n";
  EXPECT_EQ(error_of("read_block_from_text_file"), "");
  EXPECT_EQ(block_.values, (Values{1, 2, -300, 4, 6.5, 6}));
}

TEST_F(BlockFiles, numbers_may_be_as_fortran_writes_them) {
  std::ofstream(text_) << "1 1 1.0D-05\n1 2 -2d3\n1 3 inf\n2 1 +3\n2 2 -0.5E+01\n2 3 0\n";
  EXPECT_EQ(error_of("read_block_from_text_file"), "");
  EXPECT_EQ(block_.values, (Values{1e-5, 3, -2000, -5, INFINITY, 0}));
  std::ofstream(text_) << "1 1 1.0x\n";
  EXPECT_EQ(error_of("read_block_from_text_file"), text_ + ":1: must hold 2 indexes and a number");
}

TEST_F(BlockFiles, a_text_file_that_does_not_fit_is_refused_with_its_line) {
  EXPECT_NE(error_of("read_block_from_text_file").find("cannot read"), std::string::npos);
  std::ofstream(text_) << "1 1 1\n1 4 2\n";
  EXPECT_EQ(error_of("read_block_from_text_file"),
            text_ + ":2: index 2 = 4 is outside of the block (1 to 3)");
  std::ofstream(text_) << "1 1 1\n1 1 2\n";
  EXPECT_EQ(error_of("read_block_from_text_file"), text_ + ":2: a second value of one element");
  std::ofstream(text_) << "1 1 1\n2 1\n";
  EXPECT_EQ(error_of("read_block_from_text_file"), text_ + ":2: must hold 2 indexes and a number");
  std::ofstream(text_) << "1 1 1\n2 1 5\n";
  EXPECT_EQ(error_of("read_block_from_text_file"), text_ + " has 2 elements, the block has 6");
}

TEST_F(BlockFiles, a_binary_file_gives_back_what_was_written) {
  block_.values = {1, 2, 3, 4, 5, 6};
  run("write_block_to_file");
  EXPECT_EQ(std::filesystem::file_size(binary_), 5 * 4 + 6 * 8U);
  block_.values.assign(6, 0.0);
  run("read_block_from_file");
  EXPECT_EQ(block_.values, (Values{1, 2, 3, 4, 5, 6}));
}

TEST_F(BlockFiles, a_binary_file_that_does_not_fit_is_refused) {
  block_.values = {1, 2, 3, 4, 5, 6};
  run("write_block_to_file");
  block_.extents = {3, 2};
  EXPECT_EQ(error_of("read_block_from_file"), binary_ + ": it has extents 2 x 3, the block 3 x 2");
  block_.extents = {2, 3};
  std::filesystem::resize_file(binary_, 30);
  EXPECT_EQ(error_of("read_block_from_file"), binary_ + ": the data end too early");
}

}  // namespace
}  // namespace blockyard::super
