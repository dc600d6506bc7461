// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/iteration_table.h"

#include <gtest/gtest.h>

namespace blockyard::report {
namespace {

std::string table_of(std::string_view text) {
  std::string printed;
  IterationTable table([&](std::string_view part) { printed += part; });
  table.add(text);
  table.end();
  return printed;
}

TEST(IterationTable, PutsTheValuesOfAnIterationIntoARow) {
  EXPECT_EQ(table_of("Title\n"
                     "409:  iteration = 1\n410:  scf_energy = -75.5\n412:  error = 0.25\n"
                     "409:  iteration = 2\n410:  scf_energy = -76.5\n412:  error = 0.001\n"),
            "Title\n"
            "  iteration          scf_energy          error\n"
            "          1      -75.5000000000       2.50e-01\n"
            "          2      -76.5000000000       1.00e-03\n");
}

TEST(IterationTable, KeepsTheRowsOfEachTable) {
  IterationTable table([](std::string_view) {});
  table.add(
      "First\n1:  iteration = 1\n2:  error = 0.5\n1:  iteration = 2\n2:  error = 0.25\n"
      "3:  energy = -1.5\nSecond\n4:  iteration = 1\n5:  change = 2.0\n");
  table.end();
  const std::vector<Iterations> expected = {
      {"First", {{{"iteration", 1}, {"error", 0.5}}, {{"iteration", 2}, {"error", 0.25}}}},
      {"Second", {{{"iteration", 1}, {"change", 2.0}}}}};
  EXPECT_EQ(table.iterations(), expected);
}

TEST(IterationTable, LetsOtherLinesPass) {
  EXPECT_EQ(table_of("a: b\n12: x\n  printing 1 of 2\n\nend"),
            "a: b\n12: x\n  printing 1 of 2\n\nend");
}

TEST(IterationTable, NamesSingleValues) {
  EXPECT_EQ(table_of("7:  mp2_energy = -1.5\n"), "  mp2_energy = -1.5000000000\n");
}

TEST(IterationTable, EndsARowAtAText) {
  EXPECT_EQ(table_of("1:  iteration = 1\n2:  change = 0.5\nDone\n"),
            "  iteration         change\n          1       5.00e-01\nDone\n");
}

TEST(IterationTable, PrintsARowAsSoonAsItIsFull) {
  std::string printed;
  IterationTable table([&](std::string_view part) { printed += part; });
  table.add("1:  iteration = 1\n2:  change = 0.5\n1:  iteration = 2\n2:  ch");
  EXPECT_EQ(printed.find("2.50e-01"), std::string::npos);
  table.add("ange = 0.25\n");
  EXPECT_NE(printed.find("2.50e-01"), std::string::npos) << printed;
}

TEST(IterationTable, TakesValuesAfterAFullRowAsSingleOnes) {
  EXPECT_EQ(table_of("1:  iteration = 1\n2:  change = 0.5\n1:  iteration = 2\n2:  change = 0.25\n"
                     "3:  ccsd_energy = -2.0\n"),
            "  iteration         change\n          1       5.00e-01\n          2       2.50e-01\n"
            "  ccsd_energy = -2.0000000000\n");
}

}  // namespace
}  // namespace blockyard::report
