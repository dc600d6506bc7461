// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/strided.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace blockyard::fabric {
namespace {

using Counts = std::vector<std::int64_t>;

/// Rows that follow each other in the far memory with a gap after each second one, and in the near
/// memory in another order of axes.
Strided turned(std::size_t bytes, const Counts& counts, const std::vector<std::size_t>& order) {
  Strided rows;
  rows.row_bytes = bytes;
  rows.levels = counts.size();
  auto far = static_cast<std::int64_t>(bytes), near = far;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    rows.counts[k] = counts[k];
    rows.far_strides[k] = far;
    far = far * counts[k] + (k == 1 ? 2 * static_cast<std::int64_t>(bytes) : 0);
  }
  for (const std::size_t k : order) {
    rows.near_strides[k] = near;
    near = near * counts[k] + (k == 0 ? static_cast<std::int64_t>(bytes) : 0);
  }
  return rows;
}

std::size_t end_of(const Strided& rows, const std::array<std::int64_t, 7>& strides) {
  auto end = static_cast<std::int64_t>(rows.row_bytes);
  for (std::size_t k = 0; k < rows.levels; ++k) end += (rows.counts[k] - 1) * strides[k];
  return static_cast<std::size_t>(end);
}

/// Both copies against one row at a time; `shift`: where the memory begins, in bytes.
void check(const Strided& rows, std::size_t shift) {
  std::vector<std::byte> far(end_of(rows, rows.far_strides) + shift + 8);
  std::vector<std::byte> near(end_of(rows, rows.near_strides) + shift + 8, std::byte{255});
  for (std::size_t i = 0; i < far.size(); ++i) far[i] = std::byte(i * 7 % 253);
  auto expected = near;
  for_each_row(rows, far.data() + shift, expected.data() + shift,
               [&](const std::byte* f, std::byte* n) { std::memcpy(n, f, rows.row_bytes); });
  copy_to_near(rows, far.data() + shift, near.data() + shift);
  EXPECT_TRUE(near == expected);
  std::vector<std::byte> back(far.size(), std::byte{254}), expected_back = back;
  for_each_row(rows, expected_back.data() + shift, near.data() + shift,
               [&](std::byte* f, const std::byte* n) { std::memcpy(f, n, rows.row_bytes); });
  copy_to_far(rows, back.data() + shift, near.data() + shift);
  EXPECT_TRUE(back == expected_back);
}

TEST(Strided, copies_rows_in_any_order_of_axes) {
  for (const std::size_t bytes : {1U, 2U, 4U, 8U, 12U, 16U, 24U})
    for (const Counts& counts : {Counts{70, 90}, Counts{257, 33}, Counts{3, 1000},
                                 Counts{13, 7, 31}, Counts{9, 5, 6, 11}}) {
      std::vector<std::size_t> order(counts.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      do
        for (const std::size_t shift : {std::size_t{0}, bytes, std::size_t{3}})
          check(turned(bytes, counts, order), shift);
      while (std::next_permutation(order.begin(), order.end()));
    }
}

/// Every second element of every second column, as integers whose bits are those of signalling
/// NaNs.
template <class T>
void check_integers(T first) {
  constexpr std::int64_t unit = sizeof(T), wide = 40, high = 50;
  std::vector<T> far(4 * wide * high), near(wide * high), back(far.size());
  std::iota(far.begin(), far.end(), first);
  Strided rows;
  rows.row_bytes = sizeof(T);
  rows.add(wide, 2 * unit, unit);
  rows.add(high, 4 * wide * unit, wide * unit);
  copy_to_near(rows, reinterpret_cast<const std::byte*>(far.data()),
               reinterpret_cast<std::byte*>(near.data()));
  copy_to_far(rows, reinterpret_cast<std::byte*>(back.data()),
              reinterpret_cast<const std::byte*>(near.data()));
  for (std::size_t j = 0; j < high; ++j)
    for (std::size_t i = 0; i < wide; ++i) {
      const std::size_t at = 2 * i + 4 * wide * j;
      ASSERT_EQ(near[i + wide * j], far[at]) << i << ' ' << j;
      ASSERT_EQ(back[at], far[at]) << i << ' ' << j;
    }
}

TEST(Strided, copies_integers_with_gaps_between_them_bit_for_bit) {
  check_integers<std::int32_t>(-5000000);
  check_integers<std::int64_t>(-(std::int64_t{1} << 52) + 1);
}

TEST(Strided, copies_against_the_direction_of_memory_and_one_row_to_many) {
  std::vector<double> far(4000), near(4000, -1.0), ones(4000, -1.0);
  std::iota(far.begin(), far.end(), 0.0);
  Strided rows;
  rows.row_bytes = sizeof(double);
  rows.levels = 2;
  rows.counts = {40, 100};
  rows.far_strides = {800, 8};
  rows.near_strides = {-8, -320};
  auto* last = reinterpret_cast<std::byte*>(near.data() + 3999);
  copy_to_near(rows, reinterpret_cast<const std::byte*>(far.data()), last);
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t j = 0; j < 100; ++j) EXPECT_EQ(near[3999 - i - 40 * j], far[100 * i + j]);
  rows.near_strides = {0, 0};
  copy_to_far(rows, reinterpret_cast<std::byte*>(ones.data()),
              reinterpret_cast<const std::byte*>(far.data() + 7));
  EXPECT_TRUE(std::all_of(ones.begin(), ones.end(), [](double value) { return value == 7.0; }));
}

}  // namespace
}  // namespace blockyard::fabric
