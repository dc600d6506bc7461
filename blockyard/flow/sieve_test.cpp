// SPDX-License-Identifier: Apache-2.0
#include "blockyard/flow/sieve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace blockyard::flow {
namespace {

using program::Opcode;
using program::Relation;

/// A pardo whose indexes are those of the program, with conditions that are tables of truths.
struct Case {
  std::vector<std::int32_t> indexes;
  std::vector<IndexRange> ranges;
  FixedConditions fixed;
  std::vector<std::vector<char>> truths;  ///< of each condition, the first place fastest
  std::vector<std::int64_t> values;
  int trials = 0;

  explicit Case(const std::vector<IndexRange>& all) : ranges(all), values(all.size(), -7) {
    for (std::size_t k = 0; k < all.size(); ++k) indexes.push_back(static_cast<std::int32_t>(k));
    fixed.are_all = true;
  }
  [[nodiscard]] std::size_t length(std::size_t place) const {
    return static_cast<std::size_t>(ranges[place].last - ranges[place].first + 1);
  }
  template <class Truth>
  void add(std::vector<std::size_t> places, const Truth& truth) {
    std::size_t count = 1;
    for (const std::size_t place : places) count *= length(place);
    std::vector<char> table(count);
    for (char& one : table) one = truth() ? 1 : 0;
    fixed.conditions.push_back({static_cast<std::int32_t>(truths.size()), 0, std::move(places)});
    truths.push_back(std::move(table));
  }
  bool holds(const Condition& condition) {
    ++trials;
    std::size_t at = 0;
    for (std::size_t k = condition.places.size(); k-- > 0;) {
      const std::size_t place = condition.places[k];
      at = at * length(place) + static_cast<std::size_t>(values[place] - ranges[place].first);
    }
    return truths[static_cast<std::size_t>(condition.first)][at] != 0;
  }
  std::shared_ptr<const Sieve> make() {
    return Sieve::make(indexes, ranges, fixed, values,
                       [this](const Condition& condition) { return holds(condition); });
  }
  /// The numbers of the settings for which all conditions on at most two indexes hold.
  std::vector<std::int64_t> all() {
    std::int64_t settings = 1;
    for (std::size_t k = 0; k < ranges.size(); ++k)
      settings *= static_cast<std::int64_t>(length(k));
    std::vector<std::int64_t> found;
    for (std::int64_t setting = 0; setting < settings; ++setting) {
      std::int64_t rest = setting;
      for (std::size_t k = 0; k < ranges.size(); ++k) {
        values[k] = ranges[k].first + rest % static_cast<std::int64_t>(length(k));
        rest /= static_cast<std::int64_t>(length(k));
      }
      if (std::ranges::all_of(fixed.conditions, [&](const Condition& condition) {
            return condition.places.size() > 2 || holds(condition);
          }))
        found.push_back(setting);
    }
    found.push_back(settings);
    return found;
  }
};

std::vector<std::int64_t> passed(const Sieve& sieve, std::int64_t settings) {
  std::vector<std::int64_t> found;
  for (std::int64_t at = sieve.next(0);; at = sieve.next(at + 1)) {
    found.push_back(at);
    if (at == settings) return found;
  }
}

TEST(Sieve, LetsThroughWhatConditionsOnOneAndTwoIndexesAdmitInOrder) {
  std::mt19937 random(7);
  const auto number = [&](int most) {
    return static_cast<int>(random() % static_cast<unsigned>(most));
  };
  for (int run = 0; run < 40; ++run) {
    std::vector<IndexRange> ranges;
    for (int k = 0; k < 4; ++k) {
      const int first = number(5);
      ranges.push_back({first, first + 5 + number(4)});
    }
    if (run % 8 == 0) ranges.front().last = ranges.front().first + 80;  // more than a word
    Case one(ranges);
    const int percent = 5 + number(90);
    const auto truth = [&] { return number(100) < percent; };
    for (int k = 0; k < 4; ++k) {
      const auto fast = static_cast<std::size_t>(number(3));
      const auto slow = fast + 1 + static_cast<std::size_t>(number(3 - static_cast<int>(fast)));
      one.add({fast, slow}, truth);
    }
    one.add({static_cast<std::size_t>(number(4))}, [&] { return number(100) < 80; });
    if (run % 3 == 0) one.add({0, 1, 3}, truth);
    const auto sieve = one.make();
    ASSERT_NE(sieve, nullptr);
    EXPECT_EQ(one.values, std::vector<std::int64_t>(4, -7));
    EXPECT_EQ(sieve->is_complete(), run % 3 != 0);
    const auto expected = one.all();
    EXPECT_EQ(passed(*sieve, expected.back()), expected) << run;
    for (int any = 0; any < 200; ++any) {  // also backwards
      const std::int64_t from = number(static_cast<int>(expected.back()));
      EXPECT_EQ(sieve->next(from), *std::ranges::lower_bound(expected, from)) << run;
    }
  }
}

TEST(Sieve, FindsFewAmongVeryManyWithoutTryingThem) {
  // Six indexes of 100 values: the last five belong to the value of the first that they equal.
  Case one(std::vector<IndexRange>(6, {1, 100}));
  for (std::size_t k = 1; k < 6; ++k) {
    int at = 0;
    one.add({0, k}, [&] {
      const int fast = at % 100, slow = at / 100;
      ++at;
      return fast == slow;
    });
  }
  const auto sieve = one.make();
  ASSERT_NE(sieve, nullptr);
  EXPECT_EQ(one.trials, 5 * 100 * 100);
  const std::int64_t settings = 1'000'000'000'000;
  const auto found = passed(*sieve, settings);
  ASSERT_EQ(found.size(), 101U);
  EXPECT_EQ(found[1], 10'101'010'101);
}

TEST(Sieve, IsLeftOutWhereThereIsNothingToGain) {
  Case few({{1, 10}, {1, 10}});
  few.add({0, 1}, [] { return true; });
  EXPECT_EQ(few.make(), nullptr);
  Case pairs({{1, 100}, {1, 100}});  // its table would be the whole pardo
  pairs.add({0, 1}, [] { return true; });
  EXPECT_EQ(pairs.make(), nullptr);
  Case large({{1, 1 << 20}, {1, 1 << 20}, {1, 1 << 20}});  // tables of 2^40 truths
  large.fixed.conditions = {{0, 0, {0, 2}}};
  EXPECT_EQ(large.make(), nullptr);
  EXPECT_EQ(large.trials, 0);
  Case never({{1, 100}, {1, 100}});
  never.add({}, [] { return false; });
  const auto sieve = never.make();
  ASSERT_NE(sieve, nullptr);
  EXPECT_EQ(sieve->next(0), 10000);
}

/// pardo i, j:  where i < j  where a[i] == x  where (not) exists;  the body writes what `body`
/// says.
program::Program program_with(const std::vector<program::Instruction>& body) {
  program::Program p;
  p.indexes.resize(2);
  p.arrays.resize(2);
  p.arrays[0].kind = program::ArrayKind::static_;
  p.arrays[1].kind = program::ArrayKind::distributed;
  p.scalars.resize(2);
  p.selectors = {{program::SelectorForm::block, 0, {0}}, {program::SelectorForm::block, 1, {0}}};
  const auto less = static_cast<std::int32_t>(Relation::less);
  const auto equal = static_cast<std::int32_t>(Relation::equal);
  p.code = {{Opcode::pardo_begin, 0, 0},
            {Opcode::push_index, 0},
            {Opcode::push_index, 1},
            {Opcode::compare_int, less},
            {Opcode::push_block, 0},
            {Opcode::push_scalar, 0},
            {Opcode::compare, equal},
            {Opcode::and_},
            {Opcode::exists, 1},
            {Opcode::not_},
            {Opcode::and_},
            {Opcode::where_end}};
  const auto start = static_cast<std::int32_t>(p.code.size());
  p.code.insert(p.code.end(), body.begin(), body.end());
  p.code.push_back({Opcode::pardo_next, 0});
  p.code[0].b = static_cast<std::int32_t>(p.code.size());
  p.pardos = {{{0, 1}, program::Policy::unset, 1, start}};
  return p;
}

std::vector<Condition> fixed_of(const std::vector<program::Instruction>& body) {
  const program::Program p = program_with(body);
  const FixedConditions fixed = fixed_conditions(p, p.pardos[0]);
  EXPECT_FALSE(fixed.are_all);  // whether a block exists may change
  return fixed.conditions;
}

TEST(FixedConditions, AreThoseWhoseNamesTheBodyLeavesAlone) {
  const Condition of_indexes{1, 4, {0, 1}}, of_names{4, 7, {0}};
  using Conditions = std::vector<Condition>;
  EXPECT_EQ(fixed_of({}), (Conditions{of_indexes, of_names}));
  EXPECT_EQ(fixed_of({{Opcode::push_literal, 0}, {Opcode::store_scalar, 1}}),
            (Conditions{of_indexes, of_names}));
  EXPECT_EQ(fixed_of({{Opcode::push_literal, 0}, {Opcode::store_scalar, 0}}),
            (Conditions{of_indexes}));
  EXPECT_EQ(fixed_of({{Opcode::push_literal, 0}, {Opcode::block_fill, 0}}),
            (Conditions{of_indexes}));
  EXPECT_EQ(fixed_of({{Opcode::call, 0}}), (Conditions{of_indexes}));
}

}  // namespace
}  // namespace blockyard::flow
