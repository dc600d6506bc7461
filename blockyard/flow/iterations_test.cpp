// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/iterations.h"

#include <gtest/gtest.h>

#include <vector>

namespace blockyard::flow {
namespace {

using program::Policy;
using Settings = std::vector<std::vector<std::int64_t>>;

/// Indexes i = 1:3, j = 1:2; pardo 0 over i, j, with where code (at pc 7) that asks i >= j.
struct Case {
  Case() {
    p.indexes = {{"i", array::IndexKind::mo, {false, 1}, {false, 3}, -1, {}},
                 {"j", array::IndexKind::mo, {false, 1}, {false, 2}, -1, {}}};
    p.pardos = {{{0, 1}, Policy::unset, 7, 0}};
    Environment environment;
    environment.segments.set(array::IndexKind::mo, {2, 2, 2});
    tables = bind(p, environment);
  }

  /// The iterations of one worker; chunks of dynamic begin at the given positions.
  Settings of(Policy policy, int worker, int workers, std::int64_t dealt = 0,
              std::vector<std::pair<std::int64_t, std::int64_t>> chunks = {}) {
    std::vector<std::int64_t> values(2, unbound);
    Iterations all(p, tables, 0, {policy, worker, workers, dealt}, values);
    const auto where = [&](std::int32_t pc) { return pc == 7 && values[0] >= values[1]; };
    Settings found;
    std::size_t chunk = 0;
    while (true) {
      const auto step = all.next(values, where);
      if (step == Iterations::Step::ended) return found;
      if (step == Iterations::Step::found) found.push_back(values);
      if (step != Iterations::Step::chunk_ended) continue;
      if (chunk < chunks.size())
        all.take_chunk(chunks[chunk].first, chunks[chunk].second);
      else
        all.take_chunk(0, 0);
      ++chunk;
    }
  }

  program::Program p;
  Tables tables;
};

const Settings everything = {{1, 1}, {2, 1}, {3, 1}, {2, 2}, {3, 2}};

TEST(Iterations, run_the_first_index_fastest_and_leave_out_what_where_refuses) {
  EXPECT_EQ(Case().of(Policy::sequential, 0, 1), everything);
  EXPECT_EQ(Case().of(Policy::every_worker, 1, 2), everything);
  EXPECT_TRUE(Case().of(Policy::sequential, 1, 2).empty());
}

TEST(Iterations, are_dealt_by_setting_when_static_and_by_count_when_balanced) {
  EXPECT_EQ(Case().of(Policy::static_, 0, 2), (Settings{{1, 1}, {3, 1}, {2, 2}}));
  EXPECT_EQ(Case().of(Policy::static_, 1, 2), (Settings{{2, 1}, {3, 2}}));
  EXPECT_EQ(Case().of(Policy::balanced, 0, 2), (Settings{{1, 1}, {3, 1}, {3, 2}}));
  EXPECT_EQ(Case().of(Policy::balanced, 0, 2, 1), (Settings{{2, 1}, {2, 2}}));
}

TEST(Iterations, are_taken_chunk_by_chunk_when_dynamic) {
  EXPECT_EQ(Case().of(Policy::dynamic, 1, 2, 0, {{1, 2}, {3, 5}}),
            (Settings{{2, 1}, {2, 2}, {3, 2}}));
  EXPECT_TRUE(Case().of(Policy::dynamic, 1, 2).empty());
}

TEST(Iterations, follow_an_order_when_they_are_dealt_by_locality) {
  Case c;
  std::vector<std::int64_t> values(2, unbound);
  const auto always = [](std::int32_t) { return true; };
  Iterations loop(c.p, c.tables, 0, {Policy::locality, 0, 2, 0}, values);
  const std::vector<std::int64_t> order = {4, 0, 2, 99};
  loop.follow(order);
  ASSERT_EQ(loop.next(values, always), Iterations::Step::chunk_ended);
  loop.take_chunk(0, 2);
  ASSERT_EQ(loop.next(values, always), Iterations::Step::found);
  EXPECT_EQ(values, (std::vector<std::int64_t>{2, 2}));
  ASSERT_EQ(loop.next(values, always), Iterations::Step::found);
  EXPECT_EQ(values, (std::vector<std::int64_t>{1, 1}));
  ASSERT_EQ(loop.next(values, always), Iterations::Step::chunk_ended);
  loop.take_chunk(3, 4);
  EXPECT_EQ(loop.next(values, always), Iterations::Step::ended) << "no such setting";
}

TEST(Iterations, a_copy_goes_on_by_itself) {
  Case c;
  std::vector<std::int64_t> values(2, unbound);
  std::vector<std::int64_t> ahead(2, unbound);
  const auto always = [](std::int32_t) { return true; };
  Iterations loop(c.p, c.tables, 0, {Policy::sequential, 0, 1, 0}, values);
  ASSERT_EQ(loop.next(values, always), Iterations::Step::found);
  ahead = values;
  Iterations copy = loop;
  ASSERT_EQ(copy.next(ahead, always), Iterations::Step::found);
  ASSERT_EQ(copy.next(ahead, always), Iterations::Step::found);
  EXPECT_EQ(ahead, (std::vector<std::int64_t>{3, 1}));
  ASSERT_EQ(loop.next(values, always), Iterations::Step::found);
  EXPECT_EQ(values, (std::vector<std::int64_t>{2, 1}));
}

TEST(Iterations, select_sets_what_next_reaches_in_order) {
  Case c;
  std::vector<std::int64_t> values(2, unbound);
  std::vector<std::int64_t> selected(2, unbound);
  const auto always = [](std::int32_t) { return true; };
  Iterations all(c.p, c.tables, 0, {Policy::every_worker, 0, 1, 0}, values);
  Iterations one = all;
  for (std::int64_t setting = 0; setting < all.settings(); ++setting) {
    ASSERT_EQ(all.next(values, always), Iterations::Step::found);
    one.select(setting, selected);
    EXPECT_EQ(selected, values);
  }
}

TEST(Iterations, run_over_sixteen_indexes_and_more_are_refused) {
  Case some;
  const auto add = [&](std::int32_t last) {
    const auto number = static_cast<std::int32_t>(some.p.indexes.size());
    some.p.indexes.push_back({"x", array::IndexKind::simple, {false, 1}, {false, last}, -1, {}});
    some.p.pardos[0].indexes.push_back(number);
  };
  for (int k = 2; k < 16; ++k) add(k == 15 ? 3 : 1);
  some.p.pardos[0].where = -1;
  Environment environment;
  environment.segments.set(array::IndexKind::mo, {2, 2, 2});
  some.tables = bind(some.p, environment);
  std::vector<std::int64_t> values(16, unbound);
  Iterations all(some.p, some.tables, 0, {Policy::sequential, 0, 1, 0}, values);
  int count = 0;
  while (all.next(values, [](std::int32_t) { return true; }) == Iterations::Step::found) ++count;
  EXPECT_EQ(count, 18);
  some.p.pardos[0].indexes.push_back(0);
  EXPECT_THROW(Iterations(some.p, some.tables, 0, {Policy::sequential, 0, 1, 0}, values),
               base::Error);
}

TEST(Iterations, of_an_empty_range_are_none) {
  Case c;
  c.tables.indexes[1] = {1, 0};
  EXPECT_TRUE(c.of(Policy::sequential, 0, 1).empty());
  EXPECT_TRUE(c.of(Policy::static_, 0, 2).empty());
}

}  // namespace
}  // namespace blockyard::flow
