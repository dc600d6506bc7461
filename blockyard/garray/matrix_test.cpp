// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/matrix.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "blockyard/fabric/loopback/loopback_memory.h"
#include "blockyard/garray/elementwise.h"
#include "blockyard/garray/kind.h"
#include "blockyard/garray/test_counted_memory.h"

namespace blockyard::garray {
namespace {

constexpr int members = 4;
constexpr Extent n = 64, edge = 4;

Array& made(Runtime& runtime, std::vector<Extent> extents, const Layout& layout, double value) {
  Array& array = runtime.new_array();
  array.kind = *kind_of(1004);
  array.extents = std::move(extents);
  array.layout = layout;
  runtime.allocate(array);
  fill(whole(array), &value);
  runtime.sync(world_group);
  return array;
}

double element(const Runtime& runtime, const Array& a, Extent i, Extent j) {
  double value = 0;
  get(runtime, a, {.axes = 2, .first = {i, j}, .end = {i + 1, j + 1}}, {&value, {1, 1}});
  return value;
}

template <class Work>
void at_each_member(const Work& work) {
  std::vector<std::jthread> ranks;
  for (auto& memory : fabric::loopback_memories(members, std::size_t{1} << 20))
    ranks.emplace_back([&work, held = std::move(memory)]() mutable {
      auto counted = std::make_unique<CountedMemory>(std::move(held));
      CountedMemory& counts = *counted;
      Runtime runtime(std::move(counted));
      work(runtime, counts);
    });
}

TEST(Matrix, small_blocks_get_their_vector_from_each_owner_once) {
  at_each_member([](Runtime& runtime, CountedMemory& counts) {
    Layout dealt;
    dealt.form = Layout::Form::cyclic;
    dealt.edges = {edge, edge};
    Array& a = made(runtime, {n, n}, dealt, 3.0);
    Array& v = made(runtime, {n}, {}, 5.0);
    counts.gets = 0;
    scale_along(runtime, Along::rows, a, v);
    EXPECT_LE(counts.gets, members - 1);
    runtime.sync(world_group);
    counts.gets = 0;
    change_diagonal(runtime, OnDiagonal::add, a, v);
    EXPECT_LE(counts.gets, members - 1);
    runtime.sync(world_group);
    EXPECT_EQ(element(runtime, a, n - 1, 7), 15.0);
    EXPECT_EQ(element(runtime, a, 7, 7), 20.0);
    runtime.deallocate(v);
    runtime.deallocate(a);
  });
}

TEST(Matrix, the_largest_row_of_a_vector_is_found_by_reducing_one_number) {
  at_each_member([](Runtime& runtime, CountedMemory& counts) {
    Array& v = made(runtime, {n}, {}, -5.0);
    counts.reduced = 0;
    EXPECT_EQ(norm(runtime, Along::rows, v), 5.0);
    EXPECT_EQ(counts.reduced, 1U);
    EXPECT_EQ(norm(runtime, Along::columns, v), 5.0 * n);
    runtime.deallocate(v);
  });
}

}  // namespace
}  // namespace blockyard::garray
