// SPDX-License-Identifier: Apache-2.0
#include "blockyard/sial/detail/persistent_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace blockyard::sial::detail {
namespace {

using Map = PersistentMap<int>;
using Plain = std::map<std::uint32_t, int>;

Plain plain(const Map& map) {
  Plain all;
  map.for_each([&](std::uint32_t key, int value) {
    EXPECT_TRUE(all.emplace(key, value).second) << key;
    EXPECT_EQ(*map.find(key), value);
  });
  return all;
}

TEST(PersistentMap, keeps_what_a_map_keeps) {
  std::mt19937 draw(1);
  Map map;
  Plain expected;
  for (int k = 0; k < 5000; ++k) {
    const std::uint32_t key = k % 50 == 0 ? draw() : draw() % 100;
    switch (draw() % 3) {
      case 0:
        map.insert(key, k);
        expected.emplace(key, k);
        break;
      case 1:
        map.insert_or_assign(key, k);
        expected[key] = k;
        break;
      default:
        map.erase(key);
        expected.erase(key);
    }
    EXPECT_EQ(map.contains(key), expected.contains(key));
  }
  EXPECT_EQ(plain(map), expected);
  for (const auto& [key, value] : expected) map.erase(key);
  EXPECT_TRUE(map.is_empty());
}

TEST(PersistentMap, joins_two_and_leaves_them_as_they_were) {
  std::mt19937 draw(2);
  for (int round = 0; round < 200; ++round) {
    Map common, a, b;
    for (int k = 0; k < 20; ++k) common.insert(draw() % 60, k);
    a = b = common;
    for (int k = 0; k < 10; ++k) {
      a.insert_or_assign(draw() % 60, 100 + k);
      a.erase(draw() % 60);
      b.insert_or_assign(draw() % 60, 200 + k);
      b.erase(draw() % 60);
    }
    const Plain of_a = plain(a), of_b = plain(b);
    Plain either = of_a, both;
    either.insert(of_b.begin(), of_b.end());
    for (const auto& [key, value] : of_a)
      if (of_b.contains(key)) both.emplace(key, value);
    EXPECT_EQ(plain(Map::either(a, b)), either);
    EXPECT_EQ(plain(Map::both(a, b)), both);
    EXPECT_EQ(plain(a), of_a);
    EXPECT_EQ(plain(b), of_b);
    EXPECT_EQ(Map::both(a, Map()).is_empty(), true);
  }
}

/// Counts its copies.
struct Counted {
  static inline std::size_t copies = 0;
  Counted() = default;
  Counted(const Counted&) { ++copies; }
  Counted& operator=(const Counted&) {
    ++copies;
    return *this;
  }
  ~Counted() = default;
};

TEST(PersistentMap, of_a_branch_costs_what_the_branch_changes) {
  constexpr std::uint32_t count = 10'000;
  PersistentMap<Counted> map;
  for (std::uint32_t key = 0; key < count; ++key) map.insert(key, {});
  Counted::copies = 0;
  for (std::uint32_t branch = 0; branch < count; ++branch) {
    PersistentMap<Counted> one = map, other = map;
    one.insert(count + 2 * branch, {});
    other.insert(count + 2 * branch + 1, {});
    map = PersistentMap<Counted>::both(one, other);
  }
  EXPECT_TRUE(map.contains(count - 1));
  EXPECT_FALSE(map.contains(count));
  EXPECT_LT(Counted::copies, count * 300U);
}

}  // namespace
}  // namespace blockyard::sial::detail
