// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/home_bytes.h"

#include <gtest/gtest.h>

#include "blockyard/flow/iterations.h"

namespace blockyard::flow {
namespace {

using Bytes = std::vector<std::int64_t>;

/// An array a[i,j] of 3 x 4 segments over moindexes, and an index k beyond its end.
struct Case {
  Case() {
    p.indexes = {{"i", array::IndexKind::mo, {false, 1}, {false, 3}, -1, {}},
                 {"j", array::IndexKind::mo, {false, 1}, {false, 4}, -1, {}},
                 {"k", array::IndexKind::mo, {false, 3}, {false, 6}, -1, {}}};
    program::ArrayDecl a;
    a.name = "a";
    a.kind = program::ArrayKind::distributed;
    a.indexes = {0, 1};
    p.arrays = {a};
    Environment environment;
    environment.segments.set(array::IndexKind::mo, {1, 2, 3, 4, 5, 6});
    tables = bind(p, environment);
  }
  /// In bytes of each of `servers`, one a process.
  Bytes of(const std::vector<std::int32_t>& indexes, const Bytes& values, int servers) const {
    const HomeBytes home(p, tables, {program::SelectorForm::block, 0, indexes}, values, servers);
    std::vector<std::int32_t> process_of_server;
    for (int server = 0; server < servers; ++server) process_of_server.push_back(server);
    Bytes bytes(process_of_server.size());
    home.add(values, process_of_server, bytes);
    for (auto& value : bytes) value /= static_cast<std::int64_t>(sizeof(double));
    return bytes;
  }
  program::Program p;
  Tables tables;
};

TEST(HomeBytes, are_those_of_one_block_where_all_indexes_have_values) {
  EXPECT_EQ(Case().of({0, 1}, {2, 3, unbound}, 5), (Bytes{0, 0, 6, 0, 0})) << "block 7 of 12";
}

TEST(HomeBytes, are_summed_over_the_indexes_without_a_value) {
  // Column 2 has the blocks 3, 4, 5 of 2, 4 and 6 elements.
  EXPECT_EQ(Case().of({0, 1}, {unbound, 2, unbound}, 4), (Bytes{4, 6, 0, 2}));
  // Row 3 has the blocks 2, 5, 8, 11 of 3, 6, 9 and 12.
  EXPECT_EQ(Case().of({0, 1}, {3, unbound, unbound}, 6), (Bytes{0, 0, 12, 0, 0, 18}));
}

TEST(HomeBytes, count_an_index_that_stands_twice_once) {
  // Blocks 0, 4 and 8 of 1, 4 and 9 elements; the fourth value is outside of the array.
  EXPECT_EQ(Case().of({1, 1}, {unbound, unbound, unbound}, 5), (Bytes{1, 0, 0, 9, 4}));
}

TEST(HomeBytes, leave_out_what_lies_outside_of_the_array) {
  // Of 3 to 6 segment 3 alone is one of the rows.
  EXPECT_EQ(Case().of({2, 1}, {unbound, 1, unbound}, 4), (Bytes{0, 0, 3, 0}));
  EXPECT_EQ(Case().of({0, 1}, {4, 1, unbound}, 4), (Bytes{0, 0, 0, 0}));
}

TEST(HomeBytes, say_nothing_where_all_servers_have_about_as_much) {
  // One server has all, which is nothing that tells processes apart.
  EXPECT_EQ(Case().of({0, 1}, {unbound, unbound, unbound}, 1), (Bytes{0}));
}

}  // namespace
}  // namespace blockyard::flow
