// SPDX-License-Identifier: Apache-2.0
#include "blockyard/tensor/permute.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/base/buffer.h"
#include "blockyard/base/error.h"
#include "blockyard/tensor/test_blocks.h"

namespace blockyard::tensor {
namespace {

using test::for_each_position;
using test::place;
using test::random_block;
using test::random_shape;
using test::random_value;

std::vector<int> random_permutation(std::size_t order, std::mt19937_64& random) {
  std::vector<int> to(order);
  std::iota(to.begin(), to.end(), 0);
  std::ranges::shuffle(to, random);
  return to;
}

Shape permuted(const Shape& shape, std::span<const int> to) {
  std::vector<Extent> extents;
  for (const int from : to) extents.push_back(shape[static_cast<std::size_t>(from)]);
  return Shape(extents);
}

Strides permuted(const Strides& at, std::span<const int> to) {
  Strides out{};
  for (std::size_t k = 0; k < to.size(); ++k) out[k] = at[static_cast<std::size_t>(to[k])];
  return out;
}

/// Strides of a slice of a larger block with `extra` more elements along each index, and steps.
Strides slice_strides(const Shape& shape, std::mt19937_64& random) {
  Strides strides{};
  Extent stride = 1 + static_cast<Extent>(random() % 2);
  for (std::size_t k = 0; k < shape.order(); ++k) {
    strides[k] = stride;
    stride *= shape[k] + static_cast<Extent>(random() % 3);
  }
  return strides;
}

Extent last_place(const Shape& shape, const Strides& strides) {
  Extent last = 0;
  for (std::size_t k = 0; k < shape.order(); ++k) last += (shape[k] - 1) * strides[k];
  return last;
}

template <class T>
class Permute : public ::testing::Test {};
using Types = ::testing::Types<float, double, c64, c128>;
TYPED_TEST_SUITE(Permute, Types);

TYPED_TEST(Permute, EqualsTheDefinitionForAllOrders) {
  using T = TypeParam;
  std::mt19937_64 random(1);
  for (std::size_t order = 0; order <= Shape::max_order; ++order)
    for (int trial = 0; trial < 40; ++trial) {
      const Shape shape = random_shape(order, trial % 2 == 0 ? 40 : 5, 20000, random);
      const auto to = random_permutation(order, random);
      const auto in = random_block<T>(shape.element_count(), random);
      std::vector<T> out(in.size());
      permute<T>(in, shape, to, out);
      const Strides in_strides = dense_strides(shape);
      const Strides out_strides = dense_strides(permuted(shape, to));
      for_each_position(shape, [&](const Strides& at) {
        ASSERT_EQ(out[place(permuted(at, to), out_strides)], in[place(at, in_strides)]);
      });
    }
}

TYPED_TEST(Permute, TransposesMatricesOfAllSmallSizes) {
  using T = TypeParam;
  std::mt19937_64 random(2);
  const std::array to = {1, 0};
  for (Extent rows = 1; rows <= 35; ++rows)
    for (const Extent columns : {1, 2, 3, 7, 8, 16, 31, 67, 129}) {
      const auto in = random_block<T>(rows * columns, random);
      std::vector<T> out(in.size());
      permute<T>(in, {rows, columns}, to, out);
      for (Extent j = 0; j < columns; ++j)
        for (Extent i = 0; i < rows; ++i)
          ASSERT_EQ(out[static_cast<std::size_t>(j + i * columns)],
                    in[static_cast<std::size_t>(i + j * rows)]);
    }
}

/// What `transform` promises for one element; `old` is not used if beta is 0.
template <class T>
T transformed(T alpha, T in, T beta, T old, Conjugate how) {
  if constexpr (!std::same_as<T, Real<T>>)
    if (how == Conjugate::yes) in = std::conj(in);
  return beta == T(0) ? alpha * in : alpha * in + beta * old;
}

template <class T>
void expect_transform(const Shape& shape, std::span<const int> to, T alpha, T beta, Conjugate how,
                      bool sliced, std::mt19937_64& random) {
  const Shape out_shape = permuted(shape, to);
  const Strides in_strides = sliced ? slice_strides(shape, random) : dense_strides(shape);
  const Strides out_strides = sliced ? slice_strides(out_shape, random) : dense_strides(out_shape);
  const auto in = random_block<T>(last_place(shape, in_strides) + 1, random);
  auto out = random_block<T>(last_place(out_shape, out_strides) + 1, random);
  if (beta == T(0))
    for_each_position(out_shape, [&](const Strides& at) {
      out[place(at, out_strides)] = T(std::numeric_limits<Real<T>>::quiet_NaN());
    });
  auto expected = out;
  for_each_position(shape, [&](const Strides& at) {
    T& y = expected[place(permuted(at, to), out_strides)];
    y = transformed(alpha, in[place(at, in_strides)], beta, y, how);
  });
  auto planned = out;
  const PermutePlan plan(shape, in_strides, to, out_shape, out_strides);
  run<T>(plan, alpha, in.data(), beta, planned.data(), how);
  transform<T>(alpha, View<const T>{in.data(), shape, in_strides}, to, beta,
               View<T>{out.data(), out_shape, out_strides}, how);
  const auto bytes = [](const std::vector<T>& x) {
    return std::string_view(reinterpret_cast<const char*>(x.data()), x.size() * sizeof(T));
  };
  ASSERT_EQ(bytes(planned), bytes(out));
  for (std::size_t i = 0; i < out.size(); ++i)
    ASSERT_LE(std::abs(out[i] - expected[i]), 8 * std::numeric_limits<Real<T>>::epsilon());
}

TYPED_TEST(Permute, TransformsDenseBlocksAndSlices) {
  using T = TypeParam;
  std::mt19937_64 random(3);
  const std::array<T, 4> factors = {T(0), T(1), T(-0.5), random_value<T>(random)};
  for (std::size_t order = 0; order <= Shape::max_order; ++order)
    for (int trial = 0; trial < 60; ++trial) {
      const Shape shape = random_shape(order, trial % 2 == 0 ? 36 : 4, 3000, random);
      const auto to = random_permutation(order, random);
      SCOPED_TRACE("order " + std::to_string(order) + " trial " + std::to_string(trial));
      ASSERT_NO_FATAL_FAILURE(expect_transform<T>(
          shape, to, factors[random() % 4], factors[random() % 4],
          trial % 5 == 0 ? Conjugate::yes : Conjugate::no, trial % 3 == 0, random));
    }
}

TYPED_TEST(Permute, TransformsInPlaceIfTheOrderStays) {
  using T = TypeParam;
  std::mt19937_64 random(4);
  const Shape shape = {7, 5};
  const std::array to = {0, 1};
  auto block = random_block<T>(35, random);
  const auto before = block;
  const auto view = View<T>::dense(block.data(), shape);
  transform<T>(T(2), view, to, T(3), view);
  for (std::size_t i = 0; i < block.size(); ++i)
    ASSERT_LE(std::abs(block[i] - T(5) * before[i]), 16 * std::numeric_limits<Real<T>>::epsilon());
}

/// Every element of a random block must be where `to` says.
template <class T>
void expect_moved(const Shape& shape, std::span<const int> to, std::mt19937_64& random) {
  const auto in = random_block<T>(shape.element_count(), random);
  base::BufferPool pool(0);  // aligned as blocks of a run are
  base::Buffer buffer = pool.allocate(in.size() * sizeof(T));
  const std::span<T> out(buffer.as<T>(), in.size());
  permute<T>(in, shape, to, out);
  const Strides in_strides = dense_strides(shape);
  const Strides out_strides = dense_strides(permuted(shape, to));
  std::size_t differ = 0;
  for_each_position(shape, [&](const Strides& at) {
    differ += out[place(permuted(at, to), out_strides)] != in[place(at, in_strides)] ? 1 : 0;
  });
  EXPECT_EQ(differ, 0u) << shape[0] << " " << shape[2];
}

/// Whole rows of cache lines that pass the caches, and others.
TYPED_TEST(Permute, MovesRowsOfLargeBlocks) {
  using T = TypeParam;
  std::mt19937_64 random(6);
  const std::array to = {0, 2, 1, 3};
  for (const Shape& shape : {Shape{32, 40, 44, 40}, Shape{33, 40, 44, 40}})
    expect_moved<T>(shape, to, random);
}

TYPED_TEST(Permute, TurnsGroupsOfFewAndOfMany) {
  using T = TypeParam;
  std::mt19937_64 random(7);
  const std::array to = {1, 0, 3, 2, 4};
  for (const Shape& shape : {Shape{2, 2, 2, 2, 7}, Shape{2, 2, 3, 2, 7}, Shape{4, 4, 5, 3, 6},
                             Shape{8, 4, 64, 60, 9}, Shape{8, 8, 64, 70, 9}})
    expect_moved<T>(shape, to, random);
}

TEST(PermutePlan, TurnsFewerWhereTheVectorsOfAKernelDoNotHoldAll) {
  const Shape in = {2, 2, 2, 2, 64};
  const std::array to = {1, 0, 3, 2, 4};
  const PermutePlan plan(in, dense_strides(in), to, in, dense_strides(in));
  EXPECT_EQ(plan.steps().group.extent, 16);
  EXPECT_EQ(plan.steps().small_group.extent, 4);
}

TEST(PermutePlan, TurnsNothingWhereNoElementsStayTogether) {
  const Shape in = {4, 4, 4, 4};
  const std::array to = {3, 2, 1, 0};
  const PermutePlan plan(in, dense_strides(in), to, in, dense_strides(in));
  EXPECT_EQ(plan.steps().group.extent, 0);
}

/// Blocks near, past the second cache, and large enough to be written past all caches.
TYPED_TEST(Permute, ReversesBlocksOfAllReaches) {
  using T = TypeParam;
  std::mt19937_64 random(5);
  const std::array to = {3, 2, 1, 0};
  for (const Shape& shape : {Shape{4, 4, 4, 4}, Shape{12, 4, 8, 20}, Shape{6, 10, 3, 7},
                             Shape{8, 50, 60, 8}, Shape{20, 21, 22, 23}, Shape{40, 34, 40, 40}})
    expect_moved<T>(shape, to, random);
}

template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::bad_input);
    return error.what();
  }
  return "no error";
}

void expect_error(const std::string& text, const Shape& shape, const std::vector<int>& to,
                  std::span<const double> in, std::span<double> out) {
  const std::string found = error_of([&] { permute<double>(in, shape, to, out); });
  EXPECT_NE(found.find(text), std::string::npos) << found;
}

TEST(PermuteErrors, SayWhatIsWrong) {
  std::vector<double> in(6), out(6);
  expect_error("missing or twice", {2, 3}, {0, 0}, in, out);
  expect_error("missing or twice", {2, 3}, {0, 2}, in, out);
  expect_error("missing or twice", {2, 3}, {-1, 0}, in, out);
  expect_error("3 indexes for a block of order 2", {2, 3}, {0, 1, 2}, in, out);
  expect_error("got 6 and 5 values", {2, 3}, {1, 0}, in, std::span(out).first(5));
  expect_error("overlap", {2, 3}, {1, 0}, in, in);
  std::vector<double> both(11);
  expect_error("overlap", {2, 3}, {1, 0}, std::span(both).first(6), std::span(both).last(6));
}

TEST(PermuteErrors, AreFoundByTransformToo) {
  std::vector<double> in(6), out(6);
  const std::array to = {1, 0};
  const auto from = View<double>::dense(in.data(), {2, 3});
  const auto attempt = [&](const View<double>& target) {
    return error_of([&] { transform<double>(1, from, to, 0, target); });
  };
  EXPECT_NE(attempt(View<double>::dense(out.data(), {2, 3})).find("extent"), std::string::npos);
  EXPECT_NE(attempt(View<double>::dense(out.data(), {6})).find("order"), std::string::npos);
  EXPECT_NE(attempt(View<double>::dense(in.data(), {3, 2})).find("overlap"), std::string::npos);
}

TEST(Transform, CopiesBetweenSlicesOfOneBlock) {
  // Rows 0..1 of a 4 x 3 block to rows 2..3: the slices interleave in memory.
  std::vector<double> block = {1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0};
  const Strides strides = {1, 4};
  const std::array to = {0, 1};
  transform<double>(1, View<double>{block.data(), {2, 3}, strides}, to, 0,
                    View<double>{block.data() + 2, {2, 3}, strides});
  EXPECT_EQ(block, (std::vector<double>{1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6}));
}

}  // namespace
}  // namespace blockyard::tensor
