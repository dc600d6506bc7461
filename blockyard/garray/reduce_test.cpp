// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <thread>
#include <vector>

#include "blockyard/fabric/loopback/loopback_memory.h"
#include "blockyard/garray/elementwise.h"
#include "blockyard/garray/kind.h"
#include "blockyard/garray/test_counted_memory.h"

namespace blockyard::garray {
namespace {

constexpr int members = 8;

/// What select() finds among these elements of a vector; each member has at most two of them.
template <class T>
void expect_selected(const std::vector<T>& values, int code, bool is_max, T wanted, Extent at) {
  std::vector<std::jthread> ranks;
  for (auto& memory : fabric::loopback_memories(members, std::size_t{1} << 20))
    ranks.emplace_back([&, held = std::move(memory)]() mutable {
      auto counted = std::make_unique<CountedMemory>(std::move(held));
      CountedMemory& counts = *counted;
      Runtime runtime(std::move(counted));
      Array& v = runtime.new_array();
      v.kind = *kind_of(code);
      v.extents = {static_cast<Extent>(values.size())};
      runtime.allocate(v);
      const Box all = v.whole();
      if (v.me == 0) put(runtime, v, all, {const_cast<T*>(values.data()), {1}});
      runtime.sync(world_group);
      counts.broadcasts = 0;
      T found{};
      Indexes place{};
      select(runtime, v, is_max, &found, place);
      EXPECT_EQ(counts.broadcasts, 1);
      EXPECT_EQ(place[0], at);
      EXPECT_TRUE(found == wanted || (found != found && wanted != wanted));
      runtime.deallocate(v);
    });
}

TEST(Reduce, the_first_of_equal_elements_is_selected_with_one_broadcast) {
  expect_selected<double>({1, 2, 7, 3, 7, 1, 1, 2, 7}, 1004, true, 7, 2);
  expect_selected<double>({1, 2, 7, 3, 7, 1, 1, 2, 7}, 1004, false, 1, 0);
  expect_selected<std::complex<double>>({{1, 0}, {0, -3}, {3, 0}}, 1007, true, {0, -3}, 1);
}

TEST(Reduce, members_without_elements_select_none) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  expect_selected<double>({-infinity, -infinity}, 1004, true, -infinity, 0);
  expect_selected<int>({-5, -7}, 1001, true, -5, 0);
  expect_selected<int>({std::numeric_limits<int>::max()}, 1001, false,
                       std::numeric_limits<int>::max(), 0);
}

TEST(Reduce, what_is_not_a_number_is_selected_before_all_numbers) {
  expect_selected<double>({1, 2, 3, std::nan(""), 9, std::nan("")}, 1004, false, std::nan(""), 3);
}

}  // namespace
}  // namespace blockyard::garray
