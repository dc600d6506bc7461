// SPDX-License-Identifier: Apache-2.0
#include "blockyard/super/load.h"

#include <gtest/gtest.h>

#include "blockyard/base/error.h"
#include "blockyard/super/detail/test_operand.h"

namespace blockyard::super {
namespace {

std::string text_of_error(const std::string& path) {
  try {
    const Library library(path);
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::bad_input);
    return error.what();
  }
  return "";
}

const char* const example = BLOCKYARD_SUPER_EXAMPLE;

TEST(SuperLibrary, SaysThatThereIsNoSuchFile) {
  EXPECT_NE(text_of_error("/no/such/library.so").find("/no/such/library.so"), std::string::npos);
}

TEST(SuperLibrary, RefusesAnotherVersionAndSaysWhatToDo) {
  const std::string text = text_of_error(BLOCKYARD_SUPER_VERSION_TO_COME);
  EXPECT_NE(text.find("version 2"), std::string::npos) << text;
  EXPECT_NE(text.find("compile it anew"), std::string::npos) << text;
}

TEST(SuperLibrary, GivesOperandsAndConstantsToCFunctions) {
  const Library library(example);
  Table table;
  library.add_to(table);
  TestOperand y("y", {2}, Access::update);
  TestOperand x("x", {2}, Access::read);
  y.values = {1, 2};
  x.values = {10, 20};
  std::vector<Operand> operands = {y.view(), x.view()};
  const std::map<std::string, double, std::less<>> scalars = {{"factor", 0.5}};
  Context context;
  context.scalars = &scalars;
  table.find("scaled_add")->function(operands, context);
  EXPECT_EQ(y.values, (std::vector<double>{6, 12}));
}

TEST(SuperLibrary, LetsCFunctionsAskForSegments) {
  const Library library(example);
  Table table;
  library.add_to(table);
  array::Segments segments;
  segments.set(array::IndexKind::ao, {4, 7});
  Context context;
  context.segments = &segments;
  TestOperand result("x", {}, Access::write);
  TestOperand block("a", {7}, Access::read);
  block.segments = {2};
  std::vector<Operand> operands = {result.view(), block.view()};
  table.find("describe_first_index")->function(operands, context);
  EXPECT_EQ(result.values[0], 1000 + 200 + 20 + 7);
}

TEST(SuperLibrary, ThrowsTheMessageOfAFailedCFunction) {
  const Library library(example);
  Table table;
  library.add_to(table);
  TestOperand y("y", {2}, Access::update);
  TestOperand x("x", {3}, Access::read);
  std::vector<Operand> operands = {y.view(), x.view()};
  try {
    table.find("scaled_add")->function(operands, Context{});
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(), "y and x differ in length");
  }
  try {
    table.find("fail_silently")->function({}, Context{});
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(), "it returned status 7");
  }
}

TEST(SuperLibrary, NamesItselfWhenANameIsTaken) {
  const Library library(example);
  Table table;
  library.add_to(table);
  try {
    library.add_to(table);
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find(example), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace blockyard::super
