// SPDX-License-Identifier: Apache-2.0
#include "blockyard/super/super.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "blockyard/base/error.h"
#include "blockyard/super/detail/test_operand.h"
#include "blockyard/super/general.h"

namespace blockyard::super {
namespace {

TEST(SuperTable, RefusesATakenName) {
  Table table;
  add_general(table);
  EXPECT_THROW(table.add({"Get_My_Rank", "w", {}, {}}), base::Error);
}

TEST(SuperTable, RefusesASignatureOfOtherLetters) {
  Table table;
  EXPECT_THROW(table.add({"x", "rx", {}, {}}), base::Error);
}

TEST(SuperTable, FindsWhatWasAddedAndNothingElse) {
  Table table;
  add_general(table);
  ASSERT_NE(table.find("fill_block_cyclic"), nullptr);
  EXPECT_EQ(table.find("fill_block_cyclic")->signature, "wr");
  EXPECT_EQ(table.find("fill_block"), nullptr);
  EXPECT_EQ(table.names().size(), 4U);
}

TEST(SuperContext, NamesTheConstantThatIsMissing) {
  const Context context;
  try {
    (void)context.int_constant("norb");
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("\"norb\""), std::string::npos) << error.what();
  }
}

TEST(SuperGeneral, FillBlockSequentialCountsUpInMemoryOrder) {
  Table table;
  add_general(table);
  TestOperand block("a", {2, 3}, Access::write);
  TestOperand start("", {}, Access::read);
  start.values = {5.0};
  std::vector<Operand> operands = {block.view(), start.view()};
  table.find("fill_block_sequential")->function(operands, Context{});
  EXPECT_EQ(block.values, (std::vector<double>{5, 6, 7, 8, 9, 10}));
}

TEST(SuperGeneral, FillBlockCyclicBeginsAgainAfterTwenty) {
  Table table;
  add_general(table);
  TestOperand block("a", {22}, Access::write);
  TestOperand start("", {}, Access::read);
  start.values = {1.0};
  std::vector<Operand> operands = {block.view(), start.view()};
  table.find("fill_block_cyclic")->function(operands, Context{});
  EXPECT_EQ(block.values[19], 20.0);
  EXPECT_EQ(block.values[20], 1.0);
  EXPECT_EQ(block.values[21], 2.0);
}

TEST(SuperGeneral, ABlockIsReadFromATextFileOfItsName) {
  Table table;
  add_general(table);
  TestOperand block("from_text", {2, 2}, Access::write);
  block.segments = {3, 12};
  std::vector<Operand> operands = {block.view()};
  const std::string path = "from_text[3.12].txt";
  std::ofstream(path) << "1 2.5\n-3e2\n 4 5";
  table.find("read_block_from_text_file")->function(operands, Context{});
  EXPECT_EQ(block.values, (std::vector<double>{1, 2.5, -300, 4}));
  std::ofstream(path) << "1 2 x";
  EXPECT_THROW(table.find("read_block_from_text_file")->function(operands, Context{}), base::Error);
  std::filesystem::remove(path);
  EXPECT_THROW(table.find("read_block_from_text_file")->function(operands, Context{}), base::Error);
}

TEST(SuperGeneral, GetMyRankGivesTheNumberOfTheWorker) {
  Table table;
  add_general(table);
  TestOperand rank("me", {}, Access::write);
  std::vector<Operand> operands = {rank.view()};
  Context context;
  context.worker = 2;
  table.find("get_my_rank")->function(operands, context);
  EXPECT_EQ(rank.values[0], 2.0);
}

}  // namespace
}  // namespace blockyard::super
