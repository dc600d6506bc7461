// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/loop_nest.h"

#include <gtest/gtest.h>

#include <set>

#include "blockyard/base/error.h"
#include "blockyard/flow/environment.h"
#include "blockyard/flow/place.h"
#include "blockyard/flow/region.h"

namespace blockyard::flow {
namespace {

using program::Policy;
using Values = std::vector<std::int64_t>;

/// Indexes i = 1:3, j = 1:2 over segments of 2, 3 and 4; array a[i,j]; a pardo over i.
program::Program sample() {
  program::Program p;
  p.indexes = {{"i", array::IndexKind::mo, {false, 1}, {false, 3}, -1, {}},
               {"j", array::IndexKind::mo, {false, 1}, {false, 2}, -1, {}}};
  p.pardos = {{{0}, Policy::unset, -1, 0}};
  program::ArrayDecl a;
  a.name = "a";
  a.kind = program::ArrayKind::local;
  a.indexes = {0, 1};
  p.arrays = {a};
  return p;
}

Tables tables_of(const program::Program& program) {
  Environment environment;
  environment.segments.set(array::IndexKind::mo, {2, 3, 4});
  return bind(program, environment);
}

struct LoopNestTest : ::testing::Test {
  program::Program p = sample();
  Tables tables = tables_of(p);
  Naming naming{p, tables};
  LoopNest nest{naming};
  program::Selector a_ij{program::SelectorForm::block, 0, {0, 1}};
};

TEST_F(LoopNestTest, steps_through_a_do_and_frees_its_index) {
  ASSERT_TRUE(nest.begin_do(1));
  EXPECT_EQ(nest.values(), (Values{unbound, 1}));
  EXPECT_FALSE(nest.can_open(1));
  EXPECT_THROW(nest.require_open(1), base::Error);
  EXPECT_TRUE(nest.next_do());
  EXPECT_FALSE(nest.next_do());
  EXPECT_EQ(nest.values(), (Values{unbound, unbound}));
  EXPECT_TRUE(nest.open().empty());
}

TEST_F(LoopNestTest, steps_over_values_that_are_not_wanted) {
  ASSERT_TRUE(nest.begin_do(0));
  EXPECT_TRUE(nest.next_do(0));
  EXPECT_EQ(nest.value_of(0), 1);
  EXPECT_TRUE(nest.next_do(2));
  EXPECT_EQ(nest.value_of(0), 3);
  EXPECT_FALSE(nest.next_do(3));
  EXPECT_TRUE(nest.open().empty());
}

TEST_F(LoopNestTest, steps_independently_once_assigned) {
  ASSERT_TRUE(nest.begin_do(0));
  LoopNest ahead{naming};
  ahead.assign(nest);
  EXPECT_TRUE(ahead.next_do());
  EXPECT_EQ(ahead.values()[0], 2);
  EXPECT_EQ(nest.values()[0], 1);
}

TEST_F(LoopNestTest, numbers_the_iterations_of_all_pardos_apart) {
  const auto always = [](std::int32_t) { return true; };
  p.pardos.push_back(p.pardos.front());
  LoopNest two{naming};
  std::set<std::uint64_t> numbers;
  for (const std::int32_t pardo : {0, 1, 0, 1}) {
    static_cast<void>(two.begin_pardo(pardo, {Policy::every_worker, 0, 1}));
    while (two.next(always) == Iterations::Step::found) numbers.insert(two.innermost().iteration());
    two.close();
  }
  EXPECT_EQ(numbers.size(), 4U * 3U);
  EXPECT_FALSE(numbers.contains(0));
}

TEST_F(LoopNestTest, counts_what_balanced_pardos_dealt) {
  const auto always = [](std::int32_t) { return true; };
  const OpenLoop& loop = nest.begin_pardo(0, {Policy::balanced, 1, 2});
  EXPECT_EQ(nest.pardo(), &loop);
  ASSERT_EQ(nest.next(always), Iterations::Step::found);
  EXPECT_EQ(nest.values()[0], 2);
  ASSERT_EQ(nest.next(always), Iterations::Step::ended);
  nest.close();
  EXPECT_EQ(nest.dealt(), 3);
  EXPECT_EQ(nest.entered()[0], 1U);
  EXPECT_EQ(nest.pardo(), nullptr);
}

TEST_F(LoopNestTest, takes_only_a_state_of_its_program) {
  const Values values{1, unbound}, others{1};
  const std::vector<std::pair<std::int32_t, std::int64_t>> loops{{0, 3}};
  const std::vector<std::uint64_t> entered{0};
  EXPECT_THROW(nest.restore(others, loops, entered), base::Error);
  nest.restore(values, loops, entered);
  EXPECT_TRUE(nest.next_do());
  EXPECT_EQ(nest.values()[0], 2);
}

TEST_F(LoopNestTest, places_have_the_extents_of_their_segments) {
  const Place place = locate(naming, a_ij, Values{3, 2});
  EXPECT_EQ(place.id.number, 2U + 3U);
  EXPECT_EQ(place.shape, tensor::Shape(std::vector<Extent>{4, 3}));
  EXPECT_TRUE(place.is_whole);
  EXPECT_EQ(block_of(p, tables, a_ij, Values{3, 2})->bytes, 12 * sizeof(double));
  EXPECT_FALSE(block_of(p, tables, a_ij, Values{3, unbound}));
  EXPECT_THROW((void)locate(naming, a_ij, Values{3, unbound}), base::Error);
}

TEST_F(LoopNestTest, a_selection_without_an_index_names_all_blocks_of_its_position) {
  a_ij.indexes = {-1, 1};
  std::vector<std::uint64_t> numbers;
  for_each_selected(naming, a_ij, Values{unbound, 2},
                    [&](const Place& place) { numbers.push_back(place.id.number); });
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{3, 4, 5}));
}

TEST_F(LoopNestTest, regions_are_ranges_of_segments) {
  a_ij.indexes = {-1, 1};
  const RegionBounds region = region_of(naming, a_ij, Values{unbound, 2}, Values{2, 3});
  EXPECT_EQ(shape_of(tables.grids[0], region), tensor::Shape(std::vector<Extent>{7, 3}));
  EXPECT_EQ(print_region("a", std::span(region).first(4)), "a[2:3,2]");
  const RegionBounds column{1, 2, 2, 2}, other{1, 3, 1, 1};
  EXPECT_TRUE(overlap(region, column, 2));
  EXPECT_FALSE(overlap(region, other, 2));
  EXPECT_FALSE(is_inside(region, column, 2));
  EXPECT_THROW((void)region_of(naming, a_ij, Values{unbound, 2}, Values{2, 4}), base::Error);
}

}  // namespace
}  // namespace blockyard::flow
