// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/near.h"

#include <gtest/gtest.h>

#include "blockyard/flow/iterations.h"

namespace blockyard::flow {
namespace {

/// pardo i = 1:4;  get d[i];  endpardo, over segments of these lengths
struct Case {
  explicit Case(const std::vector<std::int64_t>& lengths = {2, 2, 2, 2}) {
    const auto last = static_cast<std::int32_t>(lengths.size());
    p.indexes = {{"i", array::IndexKind::mo, {false, 1}, {false, last}, -1, {}}};
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
    environment.segments.set(array::IndexKind::mo, lengths);
    tables = bind(p, environment);
  }
  NearLists lists(const Layout& layout) {
    NearLists near(p, tables, layout);
    near.begin(0);
    for (std::int64_t i = 1; i <= tables.indexes[0].last; ++i)
      near.add(i - 1, std::vector<std::int64_t>{i});
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

TEST(NearLists, deal_out_to_others_what_is_too_much_for_one_process_and_least_missed_there) {
  // Servers 0 and 2 are in process 0 with worker 0: home of the settings 0, 2, 3 and 5.
  const NearLists near = Case({4, 1, 2, 4, 3, 2}).lists({2, 3, {0, 1, 0, 1, 0}});
  EXPECT_EQ(near.lengths(), (std::vector<std::int64_t>{3, 3}));
  EXPECT_EQ(near.order(), (std::vector<std::int64_t>{0, 2, 3, 1, 4, 5}))
      << "the last of the two that are short, at the end of the other's list";
}

/// pardo i = 1:2;  do j = 1:3;  get a[j,i];  enddo;  endpardo
TEST(NearLists, count_the_blocks_of_the_loops_inside_of_a_pardo) {
  Case c({2, 2});
  c.p.indexes.push_back({"j", array::IndexKind::simple, {false, 1}, {false, 3}, -1, {}});
  c.p.arrays[0].indexes = {1, 0};
  c.p.selectors = {{program::SelectorForm::block, 0, {1, 0}}};
  Environment environment;
  environment.segments.set(array::IndexKind::mo, {2, 2});
  c.tables = bind(c.p, environment);
  // Blocks go round two servers: 0, 1, 0 of the first column, 1, 0, 1 of the second.
  NearLists near(c.p, c.tables, {2, 2, {1, 0, 0, 1}});
  near.begin(0);
  for (std::int64_t i = 1; i <= 2; ++i) near.add(i - 1, std::vector<std::int64_t>{i, unbound});
  near.end();
  EXPECT_EQ(near.order(), (std::vector<std::int64_t>{1, 0}))
      << "the second column is for worker 0, which is with server 1";
}

/// pardo i = 1:4;  call p;  endpardo, with proc p:  if 0;  return;  endif;  get d[i];
TEST(NearLists, count_the_gets_after_an_early_return_of_a_procedure) {
  using program::Opcode;
  Case c;
  c.p.code = {{Opcode::pardo_begin, 0, 3, 0}, {Opcode::call, 4, 0, 0},
              {Opcode::pardo_next, 0, 0, 0},  {Opcode::halt, 0, 0, 0},
              {Opcode::push_int, 0, 0, 0},    {Opcode::push_int, 0, 0, 0},
              {Opcode::compare_int, 0, 0, 0}, {Opcode::jump_if_false, 9, 0, 0},
              {Opcode::return_, 0, 0, 0},     {Opcode::get, 0, 0, 0},
              {Opcode::return_, 0, 0, 0}};
  c.p.procs = {{4, 11}};
  const NearLists near = c.lists({2, 2, {0, 1, 1, 0}});
  EXPECT_EQ(near.order(), (std::vector<std::int64_t>{1, 3, 0, 2}));
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
}  // namespace blockyard::flow
