// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/upcoming.h"

#include <gtest/gtest.h>

#include "blockyard/flow/environment.h"
#include "blockyard/flow/epoch_puts.h"

namespace blockyard::flow {
namespace {

using program::Opcode;
using program::Policy;
using program::Program;
using program::Relation;
using Gets = std::vector<std::pair<std::int32_t, std::uint64_t>>;  // pc, block number

constexpr std::int32_t i = 0, j = 1, k = 2;
constexpr std::int32_t d_ij = 0, e_kj = 1, t_i = 2;

void add(Program& p, Opcode opcode, std::int32_t a = 0, std::int32_t b = 0, std::int32_t c = 0) {
  p.code.push_back({opcode, a, b, c});
  p.lines.push_back({0, 1});
}

/// i = 1:3, j = 1:2, k = 1:2; distributed d[i,j] and e[k,j], temp t[i]; int n.
Program with_tables() {
  Program p;
  for (const auto& [name, last] : {std::pair{"i", 3}, std::pair{"j", 2}, std::pair{"k", 2}})
    p.indexes.push_back({name, array::IndexKind::mo, {false, 1}, {false, last}, -1, {}});
  for (const auto& [name, kind, indexes] :
       {std::tuple{"d", program::ArrayKind::distributed, std::vector{i, j}},
        std::tuple{"e", program::ArrayKind::distributed, std::vector{k, j}},
        std::tuple{"t", program::ArrayKind::temp, std::vector{i}}}) {
    program::ArrayDecl array;
    array.name = name;
    array.kind = kind;
    array.indexes = indexes;
    p.selectors.push_back(
        {program::SelectorForm::block, static_cast<std::int32_t>(p.arrays.size()), indexes});
    p.arrays.push_back(array);
  }
  p.ints.push_back({"n", false, 2, {}});
  return p;
}

/// pardo i,j where i >= j;  do k;  if k != i;  get e[k,j];  enddo;  call: get d[i,j];  endpardo
Program nest(Policy policy) {
  Program p = with_tables();
  p.pardos = {{{i, j}, policy, 1, 5}};
  add(p, Opcode::pardo_begin, 0, 14);
  add(p, Opcode::push_index, i);
  add(p, Opcode::push_index, j);
  add(p, Opcode::compare_int, static_cast<std::int32_t>(Relation::greater_equal));
  add(p, Opcode::where_end);
  add(p, Opcode::do_begin, k, 12);
  add(p, Opcode::push_index, k);
  add(p, Opcode::push_index, i);
  add(p, Opcode::compare_int, static_cast<std::int32_t>(Relation::not_equal));
  add(p, Opcode::jump_if_false, 11);
  add(p, Opcode::get, e_kj);
  add(p, Opcode::do_next, k, 6);
  add(p, Opcode::call, 15);
  add(p, Opcode::pardo_next, 0);
  add(p, Opcode::halt);
  add(p, Opcode::get, d_ij);
  add(p, Opcode::return_);
  p.procs = {{15, 17}};
  return p;
}

/// What nest() gets in the iterations that `is_mine` takes, by number of the setting and among
/// the iterations.
template <class IsMine>
Gets gets_of_nest(const IsMine& is_mine) {
  Gets gets;
  std::uint64_t setting = 0;
  std::uint64_t iteration = 0;
  for (std::uint64_t b = 1; b <= 2; ++b)
    for (std::uint64_t a = 1; a <= 3; ++a, ++setting) {
      if (a < b || !is_mine(setting, iteration++)) continue;
      for (std::uint64_t c = 1; c <= 2; ++c)
        if (c != a) gets.emplace_back(10, c - 1 + 2 * (b - 1));
      gets.emplace_back(15, a - 1 + 3 * (b - 1));
    }
  return gets;
}

/// All parts that a look-ahead stands on, for one worker.
struct Bench {
  explicit Bench(Program program, int worker = 0, int workers = 1)
      : p(std::move(program)), sharing{Policy::balanced, worker, workers} {
    Environment environment;
    environment.segments.set(array::IndexKind::mo, {2, 2, 2});
    tables = bind(p, environment);
    ints = tables.ints;
  }

  /// The gets from `pc` on, with the step that ended them.
  Gets ahead(Upcoming::Step& last, std::int32_t pc = 0) {
    const Naming naming{p, tables};
    const Outline outline(p);
    Upcoming upcoming(naming, outline, sharing, ints, scalars);
    upcoming.restart(pc, LoopNest(naming), 0, {});
    Gets gets;
    Coming coming;
    int budget = 100000;
    while ((last = upcoming.next(coming, budget)) == Upcoming::Step::found) {
      gets.emplace_back(coming.pc, coming.block.id.number);
      certain.push_back(coming.is_certain);
    }
    return gets;
  }

  Program p;
  Tables tables;
  Sharing sharing;
  std::vector<std::int64_t> ints;
  std::vector<Number> scalars;
  std::vector<bool> certain;
};

TEST(Upcoming, yields_the_coming_gets_through_where_if_do_and_call_for_each_policy) {
  Upcoming::Step last{};
  for (const int worker : {0, 1}) {
    const auto w = static_cast<std::uint64_t>(worker);
    EXPECT_EQ(Bench(nest(Policy::sequential), worker, 2).ahead(last),
              gets_of_nest([&](auto, auto) { return worker == 0; }));
    EXPECT_EQ(Bench(nest(Policy::static_), worker, 2).ahead(last),
              gets_of_nest([&](auto setting, auto) { return setting % 2 == w; }));
    EXPECT_EQ(Bench(nest(Policy::balanced), worker, 2).ahead(last),
              gets_of_nest([&](auto, auto iteration) { return iteration % 2 == w; }));
    EXPECT_EQ(Bench(nest(Policy::every_worker), worker, 2).ahead(last),
              gets_of_nest([](auto, auto) { return true; }));
    EXPECT_EQ(last, Upcoming::Step::wall);
  }
}

TEST(Upcoming, waits_at_a_dynamic_pardo_until_its_chunks_are_known) {
  Upcoming::Step last{};
  EXPECT_TRUE(Bench(nest(Policy::dynamic), 0, 2).ahead(last).empty());
  EXPECT_EQ(last, Upcoming::Step::wall);
}

/// do i;  do j;  if CONDITION;  get d[i,j];  endif;  [barrier];  get d[i,j];  enddo;  enddo
Program guarded(const std::vector<program::Instruction>& condition, bool has_barrier = false) {
  Program p = with_tables();
  add(p, Opcode::do_begin, i, 0);
  add(p, Opcode::do_begin, j, 0);
  for (const auto& instruction : condition)
    add(p, instruction.opcode, instruction.a, instruction.b);
  const auto guard = static_cast<std::int32_t>(p.code.size());
  add(p, Opcode::jump_if_false, guard + 2);
  add(p, Opcode::get, d_ij);
  if (has_barrier) add(p, Opcode::barrier);
  add(p, Opcode::get, d_ij);
  add(p, Opcode::do_next, j, 2);
  p.code[1].b = static_cast<std::int32_t>(p.code.size());
  add(p, Opcode::do_next, i, 1);
  p.code[0].b = static_cast<std::int32_t>(p.code.size());
  add(p, Opcode::halt);
  return p;
}

TEST(Upcoming, passes_over_what_depends_on_blocks_and_is_no_longer_certain) {
  Bench bench(guarded({{Opcode::push_block, t_i, 0, 0},
                       {Opcode::push_block, t_i, 0, 0},
                       {Opcode::compare, 0, 0, 0}}));
  Upcoming::Step last{};
  const Gets gets = bench.ahead(last);
  EXPECT_EQ(gets.size(), 6U);
  for (const auto& [pc, number] : gets) EXPECT_EQ(pc, 7);
  EXPECT_EQ(bench.certain, std::vector<bool>(6, false));
}

TEST(Upcoming, knows_names_until_they_change_on_the_way) {
  const std::vector<program::Instruction> is_n = {
      {Opcode::push_index, i, 0, 0},
      {Opcode::push_int_name, 0, 0, 0},
      {Opcode::compare_int, static_cast<std::int32_t>(Relation::equal), 0, 0}};
  Bench constant(guarded(is_n));
  Upcoming::Step last{};
  EXPECT_EQ(constant.ahead(last).size(), 8U);
  EXPECT_EQ(constant.certain, std::vector<bool>(8, true));
  auto counting = is_n;
  counting.insert(counting.begin(), {{Opcode::push_int, 1, 0, 0}, {Opcode::store_int, 0, 1, 0}});
  EXPECT_EQ(Bench(guarded(counting)).ahead(last).size(), 6U);
}

TEST(Upcoming, stops_at_a_barrier) {
  Bench bench(guarded({{Opcode::push_index, i, 0, 0},
                       {Opcode::push_index, i, 0, 0},
                       {Opcode::compare_int, static_cast<std::int32_t>(Relation::equal), 0, 0}},
                      true));
  Upcoming::Step last{};
  EXPECT_EQ(bench.ahead(last), (Gets{{6, 0}}));
  EXPECT_EQ(last, Upcoming::Step::wall);
}

TEST(Upcoming, spends_no_more_steps_than_it_may) {
  Bench bench(nest(Policy::sequential));
  const Naming naming{bench.p, bench.tables};
  const Outline outline(bench.p);
  Upcoming upcoming(naming, outline, bench.sharing, bench.ints, bench.scalars);
  upcoming.restart(0, LoopNest(naming), 0, {});
  Coming coming;
  int budget = 1;
  EXPECT_EQ(upcoming.next(coming, budget), Upcoming::Step::paused);
}

TEST(Upcoming, stops_where_a_balanced_pardo_is_left) {
  for (const Policy policy : {Policy::balanced, Policy::static_}) {
    Program p = with_tables();
    p.pardos = {{{i}, policy, -1, 1}};
    add(p, Opcode::pardo_begin, 0, 4);
    add(p, Opcode::pardo_leave, 0);  // exit
    add(p, Opcode::jump, 4);
    add(p, Opcode::pardo_next, 0);
    add(p, Opcode::do_begin, i, 9);  // 4
    add(p, Opcode::do_begin, j, 8);
    add(p, Opcode::get, d_ij);
    add(p, Opcode::do_next, j, 6);
    add(p, Opcode::do_next, i, 5);
    add(p, Opcode::halt);
    Upcoming::Step last{};
    EXPECT_EQ(Bench(std::move(p), 0, 2).ahead(last).size(), policy == Policy::balanced ? 0U : 6U);
    EXPECT_EQ(last, Upcoming::Step::wall);
  }
}

TEST(Upcoming, follows_a_loop_that_leaves_the_one_around_it) {
  Program p = with_tables();
  add(p, Opcode::do_begin, j, 11);
  add(p, Opcode::do_begin, i, 9);
  add(p, Opcode::push_index, j);  // 2
  add(p, Opcode::push_int, 2);
  add(p, Opcode::compare_int, static_cast<std::int32_t>(Relation::not_equal));
  add(p, Opcode::jump_if_false, 8);
  add(p, Opcode::do_leave, i);
  add(p, Opcode::jump, 10);  // cycle j
  add(p, Opcode::do_next, i, 2);
  add(p, Opcode::call, 12);  // 9
  add(p, Opcode::do_next, j, 1);
  add(p, Opcode::halt);
  add(p, Opcode::do_begin, i, 15);  // 12
  add(p, Opcode::get, d_ij);
  add(p, Opcode::do_next, i, 13);
  add(p, Opcode::return_);
  p.procs = {{12, 16}};
  Upcoming::Step last{};
  EXPECT_EQ(Bench(std::move(p)).ahead(last), (Gets{{13, 3}, {13, 4}, {13, 5}}));
}

TEST(Upcoming, tries_few_settings_of_a_pardo_whose_iterations_are_rare) {
  Program p = with_tables();
  p.indexes[i] = {"i", array::IndexKind::simple, {false, 1}, {false, 100000}, -1, {}};
  p.indexes[j] = {"j", array::IndexKind::simple, {false, 1}, {false, 100000}, -1, {}};
  p.pardos = {{{i, j}, Policy::static_, 1, 5}};
  add(p, Opcode::pardo_begin, 0, 7);
  add(p, Opcode::push_index, j);
  add(p, Opcode::push_int, 100000);
  add(p, Opcode::compare_int, static_cast<std::int32_t>(Relation::equal));
  add(p, Opcode::where_end);
  add(p, Opcode::get, d_ij);
  add(p, Opcode::pardo_next, 0);
  add(p, Opcode::halt);
  Upcoming::Step last{};
  EXPECT_TRUE(Bench(std::move(p), 0, 2).ahead(last).empty());
  EXPECT_EQ(last, Upcoming::Step::wall);
}

TEST(EpochPuts, are_the_puts_up_to_the_next_barrier_through_calls_and_returns) {
  Program p = with_tables();
  add(p, Opcode::call, 5);  // 0: a proc that ends an epoch
  add(p, Opcode::put, e_kj, e_kj);
  add(p, Opcode::barrier);  // 2
  add(p, Opcode::get, d_ij);
  add(p, Opcode::halt);  // 4
  add(p, Opcode::put, d_ij, d_ij);
  add(p, Opcode::barrier);  // 6
  add(p, Opcode::return_);
  p.procs = {{5, 8}};
  EpochPuts puts(p);
  puts.begin(0, {});
  EXPECT_TRUE(puts.changes(0));
  EXPECT_FALSE(puts.changes(1));
  puts.begin(7, std::vector<std::int32_t>{1});
  EXPECT_FALSE(puts.changes(0));
  EXPECT_TRUE(puts.changes(1));
  puts.begin(3, {});
  EXPECT_FALSE(puts.changes(0) || puts.changes(1));
}

}  // namespace
}  // namespace blockyard::flow
