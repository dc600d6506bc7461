// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/near.h"

#include <gtest/gtest.h>

#include "blockyard/worker/iterations.h"

namespace blockyard::worker {
namespace {

/// pardo i = 1:4;  get d[i];  endpardo
struct Case {
  Case() {
    p.indexes = {{"i", array::IndexKind::mo, {false, 1}, {false, 4}, -1, {}}};
    program::ArrayDecl d;
    d.name = "d";
    d.kind = program::ArrayKind::distributed;
    d.indexes = {0};
    p.arrays = {d};
    p.selectors = {{program::SelectorForm::block, 0, {0}}};
    p.pardos = {{{0}, program::Policy::locality, -1, 1}};
    p.code = {{program::Opcode::pardo_begin, 0, 3, 0},
              {program::Opcode::get, 0, 0, 0},
              {program::Opcode::pardo_next, 0, 0, 0},
              {program::Opcode::halt, 0, 0, 0}};
    Environment environment;
    environment.segments.set(array::IndexKind::mo, {2, 2, 2, 2});
    tables = bind(p, environment);
  }
  NearLists lists(const Layout& layout) {
    NearLists near(p, tables, layout);
    near.begin(0);
    for (std::int64_t i = 1; i <= 4; ++i) near.add(i - 1, std::vector<std::int64_t>{i});
    near.end();
    return near;
  }
  program::Program p;
  Tables tables;
};

TEST(NearLists, give_an_iteration_to_the_process_that_is_home_of_its_blocks) {
  // Block n is at home on server n % 2: in process 1, then in process 0.
  const NearLists near = Case().lists({2, 2, {0, 1, 1, 0}});
  EXPECT_EQ(near.order(), (std::vector<std::int64_t>{1, 3, 0, 2}));
  EXPECT_EQ(near.lengths(), (std::vector<std::int64_t>{2, 2}));
}

TEST(NearLists, are_even_runs_of_neighbours_where_no_worker_is_nearer) {
  const std::vector<std::int64_t> in_order = {0, 1, 2, 3};
  EXPECT_EQ(Case().lists({2, 1, {}}).order(), in_order);
  const NearLists apart = Case().lists({2, 1, {0, 1, 2}});
  EXPECT_EQ(apart.order(), in_order);
  EXPECT_EQ(apart.lengths(), (std::vector<std::int64_t>{2, 2}));
}

TEST(NearLists, know_the_neighbours_in_a_process) {
  const NearLists near = Case().lists({4, 1, {0, 0, 1, 1, 1}});
  EXPECT_EQ(near.neighbours(1), (std::pair{0, 2}));
  EXPECT_EQ(near.neighbours(2), (std::pair{2, 4}));
}

}  // namespace
}  // namespace blockyard::worker
