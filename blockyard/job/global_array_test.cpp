// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/global_array.h"

#include <gtest/gtest.h>

#include <numeric>

#include "blockyard/base/error.h"
#include "blockyard/fabric/loopback/loopback_memory.h"
#include "blockyard/garray/transfer.h"

namespace blockyard::job {
namespace {

using array::ElementType;
using base::Extent;

const Segments segments = {{2, 3}, {4, 2, 1}};

/// 5 x 7 doubles, element (i, j) of the program is 10 i + j, on one rank.
struct Tens {
  garray::Runtime runtime{std::move(fabric::loopback_memories(1, std::size_t{1} << 24).front())};
  garray::Array& array = runtime.new_array();
  bool is_reversed;
  std::shared_ptr<Exchanged> exchanged = std::make_shared<Exchanged>();

  Tens(bool reversed, bool is_tiled) : is_reversed(reversed) {
    array.name = "tens";
    array.kind = {1004, 8, fabric::Element::f64};
    array.extents = reversed ? std::vector<Extent>{7, 5} : std::vector<Extent>{5, 7};
    if (is_tiled) {
      array.layout.form = garray::Layout::Form::tiled_irregular;
      array.layout.begins = {{0, 2}, {0, 4, 6}};
      array.layout.grid = {1, 1};
    }
    runtime.allocate(array);
    for (Extent i = 0; i < 5; ++i)
      for (Extent j = 0; j < 7; ++j) {
        const double value = static_cast<double>(10 * i + j);
        const garray::Indexes at = reversed ? garray::Indexes{j, i} : garray::Indexes{i, j};
        garray::scatter(runtime, array, {&at, 1}, &value);
      }
  }
  [[nodiscard]] GlobalArray global() const { return {runtime, array, is_reversed}; }
  [[nodiscard]] server::Lent lent() const {
    return lend("v", "label", global(), segments, ElementType::f64, exchanged);
  }
};

/// Block (2, 1) of the program: rows 2..4, columns 0..3, rows fastest.
std::vector<double> block_two_one() {
  std::vector<double> values;
  for (int j = 0; j < 4; ++j)
    for (int i = 2; i < 5; ++i) values.push_back(10 * i + j);
  return values;
}

std::vector<double> read(const server::Lent& lent, std::uint64_t number) {
  std::vector<double> values(lent.block_bytes[number] / sizeof(double));
  lent.read(number, std::as_writable_bytes(std::span(values)));
  return values;
}

TEST(GlobalArray, tiles_that_are_segments_are_lent_in_place) {
  const Tens tens(false, true);
  const auto lent = tens.lent();
  EXPECT_EQ(lent.block_bytes, (std::vector<std::size_t>{64, 96, 32, 48, 16, 24}));
  const auto* place = reinterpret_cast<const double*>(lent.place(1));
  ASSERT_NE(place, nullptr);
  EXPECT_EQ(std::vector<double>(place, place + 12), block_two_one());
  EXPECT_EQ(read(lent, 1), block_two_one());
  EXPECT_EQ(tens.exchanged->in_place, 1u);
  EXPECT_EQ(tens.exchanged->copied, 1u);
}

TEST(GlobalArray, other_blocks_are_copied_into_the_order_of_the_program) {
  for (const bool reversed : {false, true}) {
    const Tens tens(reversed, false);
    const auto lent = tens.lent();
    EXPECT_EQ(lent.place(1), nullptr);
    EXPECT_EQ(read(lent, 1), block_two_one());
  }
}

TEST(GlobalArray, takes_blocks_and_zeros_back) {
  for (const bool reversed : {false, true}) {
    const Tens tens(reversed, false);
    auto values = block_two_one();
    for (double& value : values) value += 0.5;
    store_block(tens.global(), array::grid_of(segments), 1, std::as_bytes(std::span(values)));
    store_block(tens.global(), array::grid_of(segments), 0, {});
    const auto lent = tens.lent();
    EXPECT_EQ(read(lent, 1), values);
    EXPECT_EQ(read(lent, 0), std::vector<double>(8));
    EXPECT_EQ(read(lent, 3).front(), 24.0);
  }
}

TEST(GlobalArray, of_another_shape_or_type_is_refused) {
  const Tens tens(false, false);
  EXPECT_THROW(require_same("v", tens.global(), {{5}, {6}}, ElementType::f64), base::Error);
  EXPECT_THROW(require_same("v", tens.global(), {{5}}, ElementType::f64), base::Error);
  EXPECT_THROW(require_same("v", tens.global(), {{5}, {7}}, ElementType::c128), base::Error);
}

}  // namespace
}  // namespace blockyard::job
