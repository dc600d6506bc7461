// SPDX-License-Identifier: Apache-2.0
#include "blockyard/tensor/detail/kernels.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <numeric>
#include <random>
#include <span>
#include <utility>

#include "blockyard/base/buffer.h"
#include "blockyard/base/error.h"
#include "blockyard/tensor/test_blocks.h"

namespace blockyard::tensor::detail {
namespace {

using test::random_block;

/// The baseline runs on every processor; those of all other instruction sets must do the same.
template <class T>
class AllKernels : public ::testing::Test {
 protected:
  const Kernels<T>& baseline = kernels_baseline<T>();
  std::mt19937_64 random{6};

  void expect_close(const std::vector<T>& a, const std::vector<T>& b) const {
    for (std::size_t i = 0; i < a.size(); ++i)
      ASSERT_LE(std::abs(a[i] - b[i]), 64 * std::numeric_limits<Real<T>>::epsilon());
  }
};
using Types = ::testing::Types<float, double, c64, c128>;
TYPED_TEST_SUITE(AllKernels, Types);

TYPED_TEST(AllKernels, MoveDataLikeTheBaseline) {
  using T = TypeParam;
  for (const Kernels<T>* some : all_kernels<T>())
    for (const Extent rows : {1, 3, 8, 20, 37})
      for (const Extent columns : {1, 2, 9, 16, 70}) {
        const auto in = random_block<T>((rows + 3) * columns, this->random);
        std::vector<T> a(static_cast<std::size_t>((columns + 5) * (rows + 2))), b = a;
        const std::array loops = {CopyLoop{rows, 1, 1}, CopyLoop{columns, rows + 3, rows + 1}};
        some->copy(loops.data(), 2, in.data(), a.data(), Reach::streamed);
        some->finish_streams();
        for (Extent j = 0; j < columns; ++j)
          std::copy_n(in.begin() + j * (rows + 3), rows, b.begin() + j * (rows + 1));
        ASSERT_EQ(a, b);
        some->axpby(rows, columns, T(2), in.data(), rows + 3, T(-1), a.data(), rows + 1);
        this->baseline.axpby(rows, columns, T(2), in.data(), rows + 3, T(-1), b.data(), rows + 1);
        this->expect_close(a, b);
      }
}

TYPED_TEST(AllKernels, WorkElementwiseLikeTheDefinitionAndNotPastTheEnd) {
  using T = TypeParam;
  for (const Kernels<T>* some : all_kernels<T>())
    for (const Extent count : {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 100}) {
      const auto n = static_cast<std::size_t>(count);
      const auto x = random_block<T>(count, this->random);
      const auto y = random_block<T>(count, this->random);
      auto out = random_block<T>(count + 1, this->random);
      const auto old = out;
      some->product(count, T(2), x.data(), y.data(), T(-1), out.data());
      auto expected = old;
      for (std::size_t i = 0; i < n; ++i) expected[i] = T(2) * x[i] * y[i] - old[i];
      this->expect_close(out, expected);
      some->product(count, T(3), x.data(), y.data(), T(0), out.data());
      for (std::size_t i = 0; i < n; ++i) expected[i] = T(3) * x[i] * y[i];
      this->expect_close(out, expected);
      some->add_scalar(count, T(5), out.data());
      for (std::size_t i = 0; i < n; ++i) expected[i] += T(5);
      this->expect_close(out, expected);
      some->fill(count, T(7), out.data());
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], T(7));
      ASSERT_EQ(out[n], old[n]);
    }
}

TYPED_TEST(AllKernels, FillLargeBlocksPastTheCaches) {
  using T = TypeParam;
  constexpr Extent count = (Extent{8} << 20) / Extent{sizeof(T)} + 3;
  base::BufferPool pool(0);
  base::Buffer buffer = pool.allocate(static_cast<std::size_t>(count + 1) * sizeof(T));
  const std::span<T> x(buffer.as<T>(), static_cast<std::size_t>(count));
  for (const Kernels<T>* some : all_kernels<T>()) {
    std::ranges::fill(x, T(0));
    some->fill(count, T(3), x.data());
    ASSERT_EQ(std::ranges::count(x, T(3)), count);
  }
}

MatrixSide shuffled_side(Extent extent, Extent distance, Extent last_extent, int cut_loop,
                         std::mt19937_64& random) {
  MatrixSide side{extent, cut_loop, last_extent, {}};
  for (Extent i = 0; i < extent; ++i) side.at[i] = i * distance;
  std::ranges::shuffle(side.at, side.at + extent, random);
  return side;
}

TYPED_TEST(AllKernels, TransposeMatricesScatteredInBothBlocks) {
  using T = TypeParam;
  constexpr Extent count = 3, margin = 3;
  for (const Kernels<T>* some : all_kernels<T>())
    for (const Extent rows : {1, 2, 4, 7, 8, 12, 13, 16, 33, 128})
      for (const Extent columns : {1, 3, 4, 6, 8, 11, 24, 37, 128})
        for (const Reach reach : {Reach::first, Reach::second, Reach::far, Reach::streamed}) {
          const int cut = static_cast<int>(this->random() % 3) - 1;
          const MatrixSide row_side =
              shuffled_side(rows, columns + 1, 1 + rows / 2, cut, this->random);
          const MatrixSide column_side =
              shuffled_side(columns, rows + margin, columns, -1, this->random);
          const Extent in_step = columns * (rows + margin), out_step = rows * (columns + 1);
          const std::array loops = {CopyLoop{count, in_step, out_step},
                                    CopyLoop{2, count * in_step, count * out_step}};
          const auto in = random_block<T>(2 * count * in_step, this->random);
          auto out = random_block<T>(2 * count * out_step, this->random), expected = out;
          for (Extent n = 0; n < 2 * count; ++n) {
            const bool is_last = cut == 0 ? n % count == count - 1 : cut == 1 && n >= count;
            for (Extent i = 0; i < (is_last ? row_side.last_extent : rows); ++i)
              for (Extent j = 0; j < columns; ++j)
                expected[static_cast<std::size_t>(n * out_step + row_side.at[i] + j)] =
                    in[static_cast<std::size_t>(n * in_step + column_side.at[j] + i)];
          }
          some->transpose(row_side, column_side, loops.data(), 2, in.data(), out.data(), reach);
          some->finish_streams();
          ASSERT_EQ(out, expected) << rows << " x " << columns;
        }
}

TYPED_TEST(AllKernels, TransposePastTheCachesToo) {
  using T = TypeParam;
  constexpr Extent rows = 64, columns = 96;  // whole cache lines in both
  const auto in = random_block<T>(rows * columns, this->random);
  MatrixSide row_side{rows, -1, rows, {}}, column_side{columns, -1, columns, {}};
  for (Extent i = 0; i < rows; ++i) row_side.at[i] = i * columns;
  for (Extent j = 0; j < columns; ++j) column_side.at[j] = j * rows;
  for (const Kernels<T>* some : all_kernels<T>())
    for (const Extent shift : {0, 1}) {
      base::BufferPool pool(0);
      base::Buffer a = pool.allocate((rows * columns + 1) * sizeof(T));
      some->transpose(row_side, column_side, nullptr, 0, in.data(), a.as<T>() + shift,
                      Reach::streamed);
      some->finish_streams();
      for (Extent i = 0; i < rows; ++i)
        for (Extent j = 0; j < columns; ++j)
          ASSERT_EQ(a.as<T>()[shift + j + i * columns], in[static_cast<std::size_t>(i + j * rows)]);
    }
}

TYPED_TEST(AllKernels, TurnGroupsOfAllSizesAndTouchNoOthers) {
  using T = TypeParam;
  constexpr Extent count = 3, margin = 2;
  for (const Kernels<T>* some : all_kernels<T>())
    for (Extent extent = 2; extent <= std::min<Extent>(Turn::most, some->most_turned); ++extent) {
      std::array<std::int32_t, Turn::most> from{};
      std::iota(from.begin(), from.begin() + extent, 0);
      std::ranges::shuffle(from.begin(), from.begin() + extent, this->random);
      const Extent step = extent + margin;
      const std::array loops = {CopyLoop{count, step, 2 * step}, CopyLoop{2, count * step, step}};
      const auto in = random_block<T>((2 * count - 1) * step + extent, this->random);
      auto out = random_block<T>(2 * count * step, this->random), expected = out;
      for (Extent n = 0; n < 2 * count; ++n)
        for (Extent i = 0; i < extent; ++i)
          expected[static_cast<std::size_t>((n % count * 2 + n / count) * step + i)] =
              in[static_cast<std::size_t>(n * step + from[static_cast<std::size_t>(i)])];
      some->turn({static_cast<int>(extent), from.data()}, loops.data(), 2, in.data(), out.data(),
                 Reach::first);
      ASSERT_EQ(out, expected) << extent;
    }
}

std::array<std::int32_t, Turn::most> reversed(Extent extent) {
  std::array<std::int32_t, Turn::most> from{};
  std::iota(from.begin(), from.begin() + extent, 0);
  std::reverse(from.begin(), from.begin() + extent);
  return from;
}

TYPED_TEST(AllKernels, TurnGroupsOfWholeCacheLinesPastTheCaches) {
  using T = TypeParam;
  constexpr Extent count = 5, both = 3 * count;
  for (const Kernels<T>* some : all_kernels<T>()) {
    EXPECT_EQ(some->turn == nullptr, some->most_turned == 0);
    for (Extent extent = 64 / sizeof(T); extent <= std::min<Extent>(Turn::most, some->most_turned);
         extent += extent)
      for (const Extent shift : {0, 1}) {
        const auto from = reversed(extent);
        const std::array loops = {CopyLoop{count, 3 * extent, extent},
                                  CopyLoop{3, extent, count * extent}};
        const auto in = random_block<T>(both * extent, this->random);
        base::BufferPool pool(0);
        base::Buffer out = pool.allocate((in.size() + 1) * sizeof(T));
        some->turn({static_cast<int>(extent), from.data()}, loops.data(), 2, in.data(),
                   out.as<T>() + shift, Reach::streamed);
        some->finish_streams();
        for (Extent n = 0; n < both; ++n) {
          const auto group = in.rend() - (n % count * 3 + n / count + 1) * extent;
          ASSERT_TRUE(std::equal(group, group + extent, out.as<T>() + shift + n * extent));
        }
      }
  }
}

/// A block that begins or ends at an inaccessible page: reads outside end the test, those
/// by intrinsics too, which no sanitizer sees.
template <class T>
class FencedBlock {
 public:
  FencedBlock() {
    void* const room = ::mmap(nullptr, 3 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) throw std::bad_alloc();
    room_ = static_cast<std::byte*>(room);
    if (::mprotect(room_ + bytes, bytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }
  ~FencedBlock() { ::munmap(room_, 3 * bytes); }
  FencedBlock(const FencedBlock&) = delete;
  FencedBlock& operator=(const FencedBlock&) = delete;
  std::span<T> elements(Extent count, bool at_end) {
    const auto n = static_cast<std::size_t>(count);
    base::require(n * sizeof(T) <= bytes, "a block fits");
    return {reinterpret_cast<T*>(room_ + bytes + (at_end ? bytes - n * sizeof(T) : 0)), n};
  }

 private:
  static constexpr std::size_t bytes = 64 << 10;  // whole pages on every system
  std::byte* room_;
};

TYPED_TEST(AllKernels, TouchNothingOutsideTheBlocks) {
  using T = TypeParam;
  FencedBlock<T> operand, result;
  for (const Kernels<T>* some : all_kernels<T>())
    for (const bool at_end : {false, true}) {
      const auto blocks = [&](Extent count) {
        const auto in = operand.elements(count, at_end);
        std::ranges::copy(random_block<T>(count, this->random), in.begin());
        return std::pair(in, result.elements(count, at_end));
      };
      for (const Extent rows : {1, 2, 3, 5, 8, 9, 15, 16, 17, 20, 31, 33})
        for (const Extent columns : {1, 2, 3, 4, 7, 8, 13, 16, 25, 35})
          for (const Reach reach : {Reach::first, Reach::second, Reach::far, Reach::streamed}) {
            const auto [in, out] = blocks(rows * columns);
            const std::array loops = {CopyLoop{rows, 1, 1}, CopyLoop{columns, rows, rows}};
            some->copy(loops.data(), 2, in.data(), out.data(), reach);
            ASSERT_TRUE(std::ranges::equal(in, out)) << rows << " x " << columns;
            MatrixSide row_side{rows, -1, rows, {}}, column_side{columns, -1, columns, {}};
            for (Extent i = 0; i < rows; ++i) row_side.at[i] = i * columns;
            for (Extent j = 0; j < columns; ++j) column_side.at[j] = j * rows;
            some->transpose(row_side, column_side, nullptr, 0, in.data(), out.data(), reach);
            for (Extent i = 0; i < rows; ++i)
              for (Extent j = 0; j < columns; ++j)
                ASSERT_EQ(out.data()[i * columns + j], in.data()[j * rows + i]);
          }
      for (Extent extent = 2; extent <= std::min<Extent>(Turn::most, some->most_turned); ++extent) {
        const auto from = reversed(extent);
        const auto [in, out] = blocks(extent);
        const CopyLoop once{1, 0, 0};
        some->turn({static_cast<int>(extent), from.data()}, &once, 1, in.data(), out.data(),
                   Reach::first);
        ASSERT_TRUE(std::ranges::equal(in.rbegin(), in.rend(), out.begin(), out.end())) << extent;
      }
    }
}

TYPED_TEST(AllKernels, MultiplyLikeTheBaseline) {
  using T = TypeParam;
  for (const Kernels<T>* some : all_kernels<T>())
    for (const Extent m : {1, 4, 7, 16, 19, 32})
      for (const Extent n : {1, 3, 4, 9, 32})
        for (const Extent k : {1, 2, 16}) {
          const auto left = random_block<T>(m * k, this->random);
          const auto right = random_block<T>(k * n, this->random);
          for (const T beta : {T(0), T(1)}) {
            auto a = random_block<T>(m * n, this->random);
            auto b = a;
            const SmallProducts<T> of{m, n, k, T(2), m, n, 1, m};
            some->small_gemm(of, left.data(), right.data(), beta, a.data());
            this->baseline.small_gemm(of, left.data(), right.data(), beta, b.data());
            this->expect_close(a, b);
          }
        }
}

/// Small square matrices without gaps have kernels of their own, products with a vector another.
TYPED_TEST(AllKernels, MultiplySmallMatricesByDefinition) {
  using T = TypeParam;
  struct Case {
    Extent m, n, k, gap;  ///< what lies between columns stays as it is
  };
  std::vector<Case> cases;
  for (Extent n = 1; n <= 9; ++n)
    for (const Extent gap : {0, 3}) cases.push_back({n, n, n, gap});
  for (Extent m = 1; m <= 40; ++m)
    for (const Extent k : {1, 3, 4, 10}) cases.push_back({m, 1, k, k % 2});
  for (const Kernels<T>* some : all_kernels<T>())
    for (const auto& [m, n, k, gap] : cases)
      for (const bool is_by_rows : {false, true})
        for (const T beta : {T(0), T(2)}) {
          const Extent lda = m + gap, ldb = (is_by_rows ? n : k) + gap;
          const auto left = random_block<T>(lda * k, this->random);
          const auto right = random_block<T>(ldb * std::max(n, k), this->random);
          auto found = random_block<T>(lda * n, this->random);
          auto expected = found;
          const Extent row = is_by_rows ? ldb : 1, column = is_by_rows ? 1 : ldb;
          for (Extent j = 0; j < n; ++j)
            for (Extent i = 0; i < m; ++i) {
              T sum(0);
              for (Extent l = 0; l < k; ++l)
                sum += left.data()[i + l * lda] * right.data()[l * row + j * column];
              T& y = expected.data()[i + j * lda];
              y = T(3) * sum + (beta == T(0) ? T(0) : beta * y);
            }
          const SmallProducts<T> of{m, n, k, T(3), lda, row, column, lda};
          some->small_gemm(of, left.data(), right.data(), beta, found.data());
          this->expect_close(found, expected);
        }
}

TYPED_TEST(AllKernels, MultiplyManySmallMatricesLikeOneByOne) {
  using T = TypeParam;
  constexpr Extent count = 5;
  for (const Kernels<T>* some : all_kernels<T>())
    for (Extent n = 1; n <= 9; ++n)
      for (const Extent gap : {0, 2})
        for (const T beta : {T(0), T(2)}) {
          const Extent step = n * n + gap;
          const auto left = random_block<T>(step * count, this->random);
          const auto right = random_block<T>(n * n, this->random);
          auto found = random_block<T>(step * count, this->random);
          auto expected = found;
          SmallProducts<T> of{n, n, n, T(3), n, 1, n, n};
          for (Extent at = 0; at < count; ++at)
            some->small_gemm(of, left.data() + at * step, right.data(), beta,
                             expected.data() + at * step);
          of.count = count;
          of.a_step = of.c_step = step;  // the right matrix is the same for all
          some->small_gemm(of, left.data(), right.data(), beta, found.data());
          EXPECT_EQ(found, expected) << n;
        }
}

TYPED_TEST(AllKernels, ReduceLikeTheBaseline) {
  using T = TypeParam;
  for (const Kernels<T>* some : all_kernels<T>())
    for (const Extent length : {0, 1, 16, 33, 100}) {
      const auto x = random_block<T>(length, this->random);
      const auto y = random_block<T>(length, this->random);
      this->expect_close({some->dot(length, x.data(), y.data())},
                         {this->baseline.dot(length, x.data(), y.data())});
      this->expect_close({some->dot_conjugate(length, x.data(), y.data())},
                         {this->baseline.dot_conjugate(length, x.data(), y.data())});
      this->expect_close({some->sum(length, x.data())}, {this->baseline.sum(length, x.data())});
    }
}

}  // namespace
}  // namespace blockyard::tensor::detail
