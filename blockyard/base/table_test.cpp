// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/table.h"

#include <gtest/gtest.h>

namespace blockyard::base {
namespace {

const std::vector<Column> columns = {{8, true}, {8, false}, {8, false}};
const std::vector<std::vector<std::string>> rows = {
    {"name", "time", "bytes"}, {"scf", "1.0 s", "12 B"}, {"all"}, {"ccsd", "3.0 s", "1.0 GiB"}};

TEST(Table, is_set_in_its_columns_where_they_fit) {
  EXPECT_EQ(print_table(columns, rows, 26),
            "  name        time   bytes\n"
            "  scf        1.0 s    12 B\n"
            "  all\n"
            "  ccsd       3.0 s 1.0 GiB\n");
}

TEST(Table, takes_what_its_cells_need_where_there_is_less) {
  EXPECT_EQ(print_table(columns, rows, 25),
            "  name     time    bytes\n"
            "  scf     1.0 s     12 B\n"
            "  all\n"
            "  ccsd    3.0 s  1.0 GiB\n");
}

TEST(Table, continues_below_with_its_first_column) {
  EXPECT_EQ(print_table(columns, rows, 20),
            "  name     time\n"
            "  scf     1.0 s\n"
            "  all\n"
            "  ccsd    3.0 s\n"
            "\n"
            "  name      bytes\n"
            "  scf        12 B\n"
            "  all\n"
            "  ccsd    1.0 GiB\n");
}

TEST(Table, a_long_cell_widens_its_column) {
  EXPECT_EQ(
      print_table(columns,
                  std::vector<std::vector<std::string>>{{"a", "b", "c"}, {"long name", "1", "2"}},
                  80),
      "  a                b       c\n"
      "  long name        1       2\n");
}

TEST(Wrap, breaks_between_words_only) {
  EXPECT_EQ(wrap("one two three", 8, 2), "one two\n  three");
  EXPECT_EQ(wrap("  incomprehensibilities are", 10, 4), "  incomprehensibilities\n    are");
}

}  // namespace
}  // namespace blockyard::base
