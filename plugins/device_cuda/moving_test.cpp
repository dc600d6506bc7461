// SPDX-License-Identifier: Apache-2.0
// The kernels as they are shipped, on the processor, against plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "plugins/device_cuda/kernels.h"
#include "plugins/device_cuda/threads_on_host.h"

namespace blockyard::cuda {
namespace {

/// How the next launches run. A grid with fewer blocks must give the same: each then does more.
struct HowToRun {
  unsigned most_blocks = ~0U;
  bool is_reversed = false;
};
HowToRun how;  // the kernels are launched by functions that have no room for it
dim3 last_block;

template <class Kernel, class... Arguments>
void launch(CUstream_st*, Kernel* kernel, dim3 grid, dim3 block, Arguments... arguments) {
  unsigned& along = block.y == 1 ? grid.x : grid.y;
  along = std::min(along, how.most_blocks);
  last_block = block;
  ThreadsOnHost::here().run(grid, block, how.is_reversed, [&] { kernel(arguments...); });
}

}  // namespace
}  // namespace blockyard::cuda

#include "plugins/device_cuda/launches.h"
#include "plugins/device_cuda/test_types.h"

namespace blockyard::cuda {
namespace {

/// Small whole numbers: no rounding.
template <class T>
T number_at(std::size_t i) {
  const auto re = static_cast<int>(i % 251) - 100;
  if constexpr (is_complex<T>)
    return T(static_cast<typename T::value_type>(re), static_cast<typename T::value_type>(i % 7));
  else
    return static_cast<T>(re);
}

template <class T>
T number_of(const double parts[2]) {
  if constexpr (is_complex<T>)
    return T(static_cast<typename T::value_type>(parts[0]),
             static_cast<typename T::value_type>(parts[1]));
  else
    return static_cast<T>(parts[0]);
}

/// A dense block with `extents` in the order of the operand, whose axis to[k] is axis k of the
/// result.
Walk walk_of(const std::vector<std::int64_t>& extents, const std::vector<int>& to) {
  std::vector<std::int64_t> strides;
  std::int64_t stride = 1;
  for (const std::int64_t extent : extents) {
    strides.push_back(stride);
    stride *= extent;
  }
  Walk walk;
  stride = 1;
  for (const int axis : to) {
    const auto at = static_cast<std::size_t>(axis);
    walk.extent[walk.order] = extents[at];
    walk.from[walk.order] = strides[at];
    walk.to[walk.order++] = stride;
    stride *= extents[at];
  }
  return walk;
}

struct Asked {
  bool conjugate = false;
  Factors factors{};
};

template <class T>
void expect_reordered(const Walk& walk, const Asked& asked) {
  std::int64_t signed_count = 1;
  for (int axis = 0; axis < walk.order; ++axis) signed_count *= walk.extent[axis];
  const auto count = static_cast<std::size_t>(signed_count);
  const bool overwrites = asked.factors.beta[0] == 0 && asked.factors.beta[1] == 0;
  constexpr double nan[2] = {std::numeric_limits<double>::quiet_NaN(), 0};
  std::vector<T> from(count), expected(count), result;
  for (std::size_t i = 0; i < count; ++i) {
    from[i] = number_at<T>(i);
    expected[i] = overwrites ? number_of<T>(nan) : number_at<T>(i + 13);
  }
  result = expected;
  const T alpha = number_of<T>(asked.factors.alpha), beta = number_of<T>(asked.factors.beta);
  for (std::int64_t i = 0; i < signed_count; ++i) {
    std::int64_t rest = i, at = 0, to = 0;
    for (int axis = 0; axis < walk.order; ++axis) {
      at += rest % walk.extent[axis] * walk.from[axis];
      to += rest % walk.extent[axis] * walk.to[axis];
      rest /= walk.extent[axis];
    }
    T value = from[static_cast<std::size_t>(at)];
    if constexpr (is_complex<T>)
      if (asked.conjugate) value = std::conj(value);
    T& place = expected[static_cast<std::size_t>(to)];
    place = overwrites ? alpha * value : alpha * value + beta * place;
  }
  launch_reorder(nullptr, element_of<T>, walk, from.data(), result.data(), asked.conjugate,
                 asked.factors);
  EXPECT_EQ(result, expected);
}

/// All element types, with and without factors, threads in both orders, few blocks and many.
void expect_all(const std::vector<std::int64_t>& extents, const std::vector<int>& to) {
  const Walk walk = walk_of(extents, to);
  const Asked accumulates{false, {{2, 1}, {-1, 3}}}, scales{true, {{3, -1}, {0, 0}}};
  for (const HowToRun& one : {HowToRun{}, HowToRun{1, true}, HowToRun{3, false}}) {
    how = one;
    expect_reordered<float>(walk, {});
    expect_reordered<double>(walk, accumulates);
    expect_reordered<std::complex<float>>(walk, scales);
    expect_reordered<std::complex<double>>(walk, {true, accumulates.factors});
    expect_reordered<double>(walk, {true, {{-2, 0}, {0, 0}}});
  }
  how = {};
}

bool were_tiles() { return last_block.y > 1; }

TEST(Moving, ReordersThroughTiles) {
  expect_all({32, 32}, {1, 0});
  EXPECT_TRUE(were_tiles());
  expect_all({40, 3, 33}, {2, 1, 0});
  EXPECT_TRUE(were_tiles());
  expect_all({9, 5, 8, 2}, {2, 3, 0, 1});
  EXPECT_TRUE(were_tiles());
}

TEST(Moving, ReordersTilesWithRemaindersOfAllKinds) {
  for (const std::int64_t first : {8, 31, 32, 33, 65})
    for (const std::int64_t second : {8, 9, 64, 67}) {
      expect_all({first, second}, {1, 0});
      EXPECT_TRUE(were_tiles());
    }
}

TEST(Moving, ReordersAlongTheResultWhereSidesAreShort) {
  expect_all({7, 32}, {1, 0});
  EXPECT_FALSE(were_tiles());
  expect_all({32, 7}, {1, 0});
  EXPECT_FALSE(were_tiles());
  expect_all({2, 3, 5, 7}, {3, 2, 1, 0});
  EXPECT_FALSE(were_tiles());
}

TEST(Moving, ReordersAlongTheResultWhereBothHaveTheSameFastestAxis) {
  expect_all({17, 5, 6}, {0, 2, 1});
  EXPECT_FALSE(were_tiles());
  expect_all({1000}, {0});
  EXPECT_FALSE(were_tiles());
}

TEST(Moving, ReordersBlocksOfAllOrders) {
  expect_all({}, {});
  expect_all({2, 3, 2, 3, 2, 3, 2, 2}, {7, 0, 6, 1, 5, 2, 4, 3});
  expect_all({9, 2, 2, 2, 2, 2, 2, 11}, {7, 1, 3, 5, 2, 4, 6, 0});
}

TEST(Moving, LeavesGapsOfTheResultAlone) {
  // A matrix of 9 rows in columns of 12 elements, from one that lies transposed in rows of 10.
  Walk walk{2, {9, 10}, {1, 12}, {10, 1}};
  std::vector<double> from(90), result(120, -1);
  std::iota(from.begin(), from.end(), 0.0);
  launch_reorder(nullptr, BLOCKYARD_F64, walk, from.data(), result.data(), false, {});
  EXPECT_TRUE(were_tiles());
  for (std::size_t j = 0; j < 10; ++j)
    for (std::size_t i = 0; i < 12; ++i)
      EXPECT_EQ(result[i + 12 * j], i < 9 ? from[10 * i + j] : -1) << i << ' ' << j;
}

TEST(Moving, CountsInLongNumbersWhereShortOnesEnd) {
  const Walk walk = walk_of({6, 7, 8}, {1, 2, 0});
  std::vector<double> from(336), by_short(336), by_long(336);
  std::iota(from.begin(), from.end(), 1.0);
  Job<double> job{walk, from.data(), by_long.data(), 1, 0, false, true};
  launch(nullptr, reorder_along<double, std::uint64_t>, 2, threads, job, std::uint64_t{336});
  launch_reorder(nullptr, BLOCKYARD_F64, walk, from.data(), by_short.data(), false, {});
  EXPECT_EQ(by_long, by_short);
}

TEST(Moving, GridsFitTheLimitsOfTheDevice) {
  EXPECT_EQ(blocks_for(1), 1U);
  EXPECT_EQ(blocks_for(threads), 1U);
  EXPECT_EQ(blocks_for(threads + 1), 2U);
  EXPECT_EQ(blocks_for(std::uint64_t{1} << 50), most_blocks);
}

template <class T>
void expect_filled(std::size_t count) {
  const double value[2] = {3, -4};
  std::vector<T> to(count + 1, T(1)), expected(count + 1, number_of<T>(value));
  expected.back() = T(1);
  launch_fill(nullptr, element_of<T>, to.data(), value, count);
  EXPECT_EQ(to, expected);
}

TEST(Moving, FillsSoManyElementsAndNoMore) {
  for (const unsigned blocks : {~0U, 1U}) {
    how.most_blocks = blocks;
    for (const std::size_t count : {0, 1, 255, 256, 257, 1000}) {
      expect_filled<float>(count);
      expect_filled<double>(count);
      expect_filled<std::complex<float>>(count);
      expect_filled<std::complex<double>>(count);
    }
  }
  how = {};
}

/// Pivots, or values, and info.
template <class T>
void expect_told(const Numbers& numbers, bool keeps) {
  std::vector<T> to(5, T(7));
  launch_numbers(nullptr, element_of<T>, numbers, 3, to.data());
  const std::vector<T> wanted = keeps ? std::vector<T>{T(7), T(7), T(7), T(2), T(7)}
                                      : std::vector<T>{T(1), T(5), T(3), T(2), T(7)};
  EXPECT_EQ(to, wanted);
}

TEST(Moving, TellsNumbersBesideAResultAsElementsOfIt) {
  const std::vector<std::int64_t> pivots = {1, 5, 3};
  const std::vector<float> narrow = {1, 5, 3};
  const std::vector<double> values = {1, 5, 3};
  const int info = 2;
  using Kind = Numbers::Kind;
  expect_told<float>({Kind::integers, pivots.data(), &info}, false);
  expect_told<std::complex<double>>({Kind::integers, pivots.data(), &info}, false);
  expect_told<std::complex<float>>({Kind::reals, narrow.data(), &info}, false);
  expect_told<double>({Kind::reals, values.data(), &info}, false);
  expect_told<double>({Kind::none, nullptr, &info}, true);
}

TEST(Moving, KeepsInfinitePartsOfComplexNumbersApart) {
  using Complex = std::complex<double>;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const std::vector<Complex> from = {{1, infinite}, {-infinite, 2}};
  std::vector<Complex> to(2);
  Walk walk;
  walk.order = 1;
  walk.extent[0] = 2;
  walk.to[0] = walk.from[0] = 1;
  launch_reorder(nullptr, element_of<Complex>, walk, from.data(), to.data(), false, {});
  EXPECT_EQ(to, from);
}

/// A matrix of 3 x 3 with one number that is not finite.
template <class T>
void expect_found(int row, int column, Triangle triangle, bool is_read) {
  using Real = decltype(std::real(T{}));
  for (const Real bad :
       {std::numeric_limits<Real>::infinity(), -std::numeric_limits<Real>::quiet_NaN()}) {
    std::vector<T> matrix(9, T(2));
    T& element = matrix[static_cast<std::size_t>(row + 3 * column)];
    if constexpr (std::is_same_v<T, Real>)
      element = bad;
    else
      element = {Real(1), bad};
    int found = 0;
    launch_look_for_infinite(nullptr, element_of<T>, matrix.data(), 3, 3, triangle, &found);
    EXPECT_EQ(found, is_read ? 1 : 0) << row << " " << column;
  }
}

TEST(Moving, FindsNumbersThatAreNotFiniteWhereTheMatrixIsRead) {
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) {
      expect_found<float>(row, column, Triangle::whole, true);
      expect_found<double>(row, column, Triangle::upper, row <= column);
      expect_found<std::complex<float>>(row, column, Triangle::lower, row >= column);
      expect_found<std::complex<double>>(row, column, Triangle::whole, true);
    }
  const std::vector<double> finite(9, std::numeric_limits<double>::max());
  int found = 0;
  launch_look_for_infinite(nullptr, element_of<double>, finite.data(), 3, 3, Triangle::whole,
                           &found);
  EXPECT_EQ(found, 0);
}

}  // namespace
}  // namespace blockyard::cuda
