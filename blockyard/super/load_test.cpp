// SPDX-License-Identifier: Apache-2.0
#include "blockyard/super/load.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <complex>

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

/// The table of the example library.
struct Example {
  Example() { library.add_to(table); }
  Library library{example};
  Table table;
};

std::string aces_example() {
  return fmt::format("{}{}", aces_prefix, BLOCKYARD_SUPER_ACES_EXAMPLE);
}

TEST(SuperLibrary, SaysThatThereIsNoSuchFile) {
  EXPECT_NE(text_of_error("/no/such/library.so").find("/no/such/library.so"), std::string::npos);
}

TEST(SuperLibrary, RefusesAnotherVersionAndSaysWhatToDo) {
  const std::string text = text_of_error(BLOCKYARD_SUPER_VERSION_TO_COME);
  EXPECT_NE(text.find("version 4"), std::string::npos) << text;
  EXPECT_NE(text.find("compile it anew"), std::string::npos) << text;
}

TEST(SuperLibrary, GivesOperandsAndConstantsToCFunctions) {
  const Example loaded;
  const Table& table = loaded.table;
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

TEST(SuperLibrary, GivesAnIntToCFunctionsThatAskForAScalar) {
  const Example loaded;
  TestOperand y("y", {2}, Access::update);
  TestOperand x("x", {2}, Access::read);
  y.values = {1, 2};
  x.values = {10, 20};
  std::vector<Operand> operands = {y.view(), x.view()};
  const std::map<std::string, std::int64_t, std::less<>> ints = {{"factor", 3}};
  Context context;
  context.ints = &ints;
  loaded.table.find("scaled_add")->function(operands, context);
  EXPECT_EQ(y.values, (std::vector<double>{31, 62}));
}

TEST(SuperLibrary, KeepsWhatCFunctionsSeeInOnePlace) {
  const Example loaded;
  const Function& function = loaded.table.find("describe_places")->function;
  TestOperand result("x", {}, Access::write);
  TestOperand block("an array with a name that has memory of its own", {7}, Access::read);
  std::vector<Operand> operands = {result.view(), block.view()};
  function(operands, Context{});
  const double first = result.values[0];
  // A call that took memory and gave it back would get other memory now.
  std::vector<std::string> taken;
  for (std::size_t length = 16; length < 512; ++length) taken.emplace_back(length, 'x');
  function(operands, Context{});
  EXPECT_EQ(result.values[0], first);
}

TEST(SuperLibrary, LetsCFunctionsAskForSegments) {
  const Example loaded;
  const Table& table = loaded.table;
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

TEST(SuperLibrary, LetsCFunctionsAskForArraysOfTheJob) {
  const Example loaded;
  const Table& table = loaded.table;
  const std::map<std::string, array::DenseArray, std::less<>> arrays = {
      {"weights", {{2, 3}, {1, 2, 3, 4, 5, 6}}}};
  Context context;
  context.arrays = &arrays;
  TestOperand result("x", {}, Access::write);
  std::vector<Operand> operands = {result.view()};
  table.find("describe_weights")->function(operands, context);
  EXPECT_EQ(result.values[0], 200 + 20 + 6);
  EXPECT_THROW(table.find("describe_weights")->function(operands, Context{}), base::Error);
}

TEST(SuperLibrary, GivesElementsOfEachTypeToCFunctions) {
  const Example loaded;
  const Table& table = loaded.table;
  const Entry& halve = *table.find("halve");
  std::vector<std::complex<float>> values = {{2, 4}, {6, -8}};
  TestOperand b("b", {2}, Access::update);
  Operand operand = b.view();
  operand.values = {};
  operand.type = array::ElementType::c64;
  operand.others = std::as_writable_bytes(std::span(values));
  EXPECT_TRUE(halve.types_of(0).holds(operand.type));
  EXPECT_FALSE(table.find("scaled_add")->types_of(1).holds(operand.type));
  halve.function({&operand, 1}, Context{});
  EXPECT_EQ(values, (std::vector<std::complex<float>>{{1, 2}, {3, -4}}));
}

TEST(SuperLibrary, ThrowsTheMessageOfAFailedCFunction) {
  const Example loaded;
  const Table& table = loaded.table;
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

/// The functions of the example that was compiled for ACES4.
class AcesLibrary : public testing::Test {
 protected:
  void declare(std::vector<Declared> declared) { library_.add_to(table_, declared); }
  const Library library_{aces_example()};
  Table table_;
};

TEST_F(AcesLibrary, GetsOperandsAsAces4GivesThem) {
  declare({{"aces_scale", "wrrw"}});
  TestOperand y("y", {2, 3}, Access::write);
  TestOperand x("x", {6, 1}, Access::read);
  TestOperand by("by", {}, Access::read);
  TestOperand seen("seen", {12}, Access::write);
  y.segments = {4, 5};
  x.segments = {-7, 1};
  x.values = {1, 2, 3, 4, 5, 6};
  by.values = {10};
  std::vector<Operand> operands = {y.view(), x.view(), by.view(), seen.view()};
  EXPECT_EQ(table_.find("aces_scale")->signature, "wrrw");
  table_.find("aces_scale")->function(operands, Context{});
  EXPECT_EQ(y.values, (std::vector<double>{10, 20, 30, 40, 50, 60}));
  EXPECT_EQ(seen.values, (std::vector<double>{2, 6, 5, 2, 2, 0, 1, -7, 1, 1, 1, 4}));
}

TEST_F(AcesLibrary, EndsTheRunWithWhatIerrSays) {
  declare({{"aces_refuse", "u"}});
  TestOperand x("x", {}, Access::update);
  std::vector<Operand> operands = {x.view()};
  table_.find("aces_refuse")->function(operands, Context{});
  x.values = {-1};
  try {
    table_.find("aces_refuse")->function(operands, Context{});
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(), "it returned ierr = 3");
  }
}

TEST_F(AcesLibrary, HasWhatProgramsDeclareAndItDefinesItself) {
  declare({{"aces_count", "w"}, {"aces_count", "u"}, {"read", "wrr"}, {"not_there", "w"}});
  EXPECT_EQ(table_.names(), std::vector<std::string>{"aces_count"});
  EXPECT_EQ(table_.find("aces_count")->also, (std::vector<std::string>{"w", "u"}));
}

TEST_F(AcesLibrary, RefusesMoreOperandsThanAces4) {
  EXPECT_THROW(declare({{"aces_count", "wrrrrrr"}}), base::Error);
}

TEST(SuperLibrary, TellsHowOneForAces4IsGiven) {
  const std::string text = text_of_error(BLOCKYARD_SUPER_ACES_EXAMPLE);
  EXPECT_NE(text.find(aces_example()), std::string::npos) << text;
}

TEST(SuperLibrary, NamesItselfWhenANameIsTaken) {
  Example loaded;
  try {
    loaded.library.add_to(loaded.table);
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find(example), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace blockyard::super
