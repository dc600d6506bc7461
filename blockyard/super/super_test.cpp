// SPDX-License-Identifier: Apache-2.0
#include "blockyard/super/super.h"

#include <gtest/gtest.h>

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

TEST(SuperTable, KnowsTheElementTypesOfEachOperand) {
  Table table;
  table.add({"one_word", "ur", {}, {}, "f32|c64"});
  table.add({"two_words", "ur", {}, {}, " any  f64 "});
  table.add({"none", "ur", {}, {}});
  using enum array::ElementType;
  EXPECT_EQ(table.find("one_word")->types_of(0).text(), "f32 or c64");
  EXPECT_EQ(table.find("one_word")->types_of(1).text(), "f32 or c64");
  EXPECT_EQ(table.find("two_words")->types_of(0).text(), "f64, f32, c128 or c64");
  EXPECT_TRUE(table.find("two_words")->types_of(1).holds(f64));
  EXPECT_FALSE(table.find("two_words")->types_of(1).holds(c128));
  EXPECT_EQ(table.find("none")->types_of(1).text(), "f64");
}

TEST(SuperTable, RefusesTypesThatAreNoneOrForAnotherNumberOfOperands) {
  Table table;
  for (const char* types : {"f65", "f64|", "f64 f64 f64", "complex c64"}) {
    try {
      table.add({"x", "ur", {}, {}, types});
      ADD_FAILURE() << types;
    } catch (const base::Error& error) {
      EXPECT_NE(std::string(error.what()).find(types), std::string::npos) << error.what();
    }
  }
}

TEST(SuperOperand, IsReadAsWhatItIs) {
  TestOperand b("b", {2}, Access::update);
  const Operand operand = b.view();
  EXPECT_EQ(operand.as<double>().size(), 2U);
  EXPECT_EQ(operand.element_count(), 2U);
  EXPECT_THROW((void)operand.as<float>(), base::Error);
}

TEST(SuperTable, FindsWhatWasAddedAndNothingElse) {
  Table table;
  add_general(table);
  ASSERT_NE(table.find("fill_block_cyclic"), nullptr);
  EXPECT_EQ(table.find("fill_block_cyclic")->signature, "wr");
  EXPECT_EQ(table.find("fill_block"), nullptr);
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

TEST(SuperContext, TakesAnIntForAScalar) {
  Context context;
  const std::map<std::string, std::int64_t, std::less<>> ints = {{"x", 2}, {"y", 3}};
  const std::map<std::string, double, std::less<>> scalars = {{"y", 0.5}};
  context.ints = &ints;
  EXPECT_EQ(context.scalar_constant("x"), 2);
  context.scalars = &scalars;
  EXPECT_EQ(context.scalar_constant("x"), 2);
  EXPECT_EQ(context.scalar_constant("y"), 0.5);
  EXPECT_THROW((void)context.scalar_constant("z"), base::Error);
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

TEST(SuperGeneral, FillBlockCyclicGoesOnWithOneAfterTwenty) {
  Table table;
  add_general(table);
  TestOperand block("a", {22}, Access::write);
  TestOperand start("", {}, Access::read);
  start.values = {3.0};
  std::vector<Operand> operands = {block.view(), start.view()};
  table.find("fill_block_cyclic")->function(operands, Context{});
  EXPECT_EQ(block.values[17], 20.0);
  EXPECT_EQ(block.values[18], 1.0);
  EXPECT_EQ(block.values[21], 4.0);
}

TEST(SuperGeneral, ArraysOfTheJobAreAtHand) {
  Table table;
  add_general(table);
  TestOperand block("a", {9}, Access::write);
  std::vector<Operand> operands = {block.view()};
  const auto& copy = table.find("get_and_print_int_array_dummy")->function;
  EXPECT_THROW(copy(operands, Context{}), base::Error);
  const std::map<std::string, array::DenseArray, std::less<>> arrays = {
      {"int_array_data", {{8}, {1, 2, 3, 4, 5, 6, 7, 8}}}};
  Context context;
  context.arrays = &arrays;
  copy(operands, context);
  EXPECT_EQ(block.values, (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 0}));
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
