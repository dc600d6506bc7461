// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/cut.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace blockyard::fabric {
namespace {

Strided rows_of(std::size_t bytes, const std::vector<std::int64_t>& counts) {
  Strided rows;
  rows.row_bytes = bytes;
  rows.levels = counts.size();
  std::int64_t stride = static_cast<std::int64_t>(bytes) + 3;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    rows.counts[k] = counts[k];
    rows.far_strides[k] = stride;
    stride = stride * counts[k] + 5;
  }
  return packed(rows, rows.far_strides);
}

/// What the whole region has, packed in its order.
std::vector<std::byte> whole(const Strided& rows, const std::vector<std::byte>& memory) {
  std::vector<std::byte> all(rows.byte_count());
  if (!all.empty()) copy_to_near(rows, memory.data(), all.data());
  return all;
}

TEST(Cutter, pieces_are_the_region_in_its_order) {
  std::vector<std::byte> memory(100000);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = std::byte(i * 7 % 251);
  for (const std::size_t bytes : {1U, 4U, 16U, 100U})
    for (const auto& counts : std::vector<std::vector<std::int64_t>>{
             {}, {1}, {7}, {3, 5}, {2, 1, 9}, {4, 3, 2, 2}, {0}, {3, 0}})
      for (const std::size_t piece : {16U, 48U, 112U, 256U, 4096U}) {
        const Strided rows = rows_of(bytes, counts);
        std::vector<std::byte> found(rows.byte_count());
        std::size_t done = 0;
        Cutter cutter(rows, piece);
        for (Cut cut; cutter.next(cut);) {
          EXPECT_LE(cut.rows.byte_count(), piece);
          EXPECT_EQ(cut.near, static_cast<std::int64_t>(done));
          copy_to_near(cut.rows, memory.data() + cut.far, found.data() + cut.near);
          done += cut.rows.byte_count();
        }
        EXPECT_EQ(done, rows.byte_count());
        EXPECT_EQ(found, whole(rows, memory));
      }
}

TEST(Cutter, borders_do_not_depend_on_strides) {
  const Strided gaps = rows_of(24, {10, 4});
  Strided dense = gaps;
  dense.far_strides = dense.near_strides;
  Cutter one(gaps, 64), other(dense, 64);
  for (Cut a, b; one.next(a);) {
    ASSERT_TRUE(other.next(b));
    EXPECT_EQ(a.near, b.near);
    EXPECT_EQ(a.rows.byte_count(), b.rows.byte_count());
    EXPECT_EQ(b.rows.levels, 0U);  // one row, to be sent from where it lies
  }
}

}  // namespace
}  // namespace blockyard::fabric
