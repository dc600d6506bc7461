// SPDX-License-Identifier: Apache-2.0
#include "blockyard/tensor/detail/packed_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string_view>

#include "blockyard/tensor/contract.h"
#include "blockyard/tensor/test_blocks.h"

namespace blockyard::tensor::detail {
namespace {

using test::random_block;

/// A contraction in letters with its extents, and its indexes as a plan sees them.
struct Contraction {
  std::array<std::string_view, 3> letters;  // by Side
  std::map<char, Extent> extent;

  [[nodiscard]] Shape shape(Side side) const {
    std::vector<Extent> extents;
    for (const char letter : letters[side]) extents.push_back(extent.at(letter));
    return Shape(extents);
  }
  [[nodiscard]] ContractIndexes indexes() const {
    ContractIndexes all;
    for (const auto& [letter, length] : extent) {
      ContractIndex index{length, {}};
      for (const Side side : {left_side, right_side, result_side}) {
        const auto k = letters[side].find(letter);
        if (k != std::string_view::npos) index.stride[side] = dense_strides(shape(side))[k];
      }
      if (length > 1) all.item[static_cast<std::size_t>(all.count++)] = index;
    }
    return all;
  }
};

/// Sums over all indexes, one product at a time, in double.
template <class R>
std::vector<double> sum_plainly(const Contraction& of, const std::vector<R>& left,
                                const std::vector<R>& right) {
  std::vector<double> result(static_cast<std::size_t>(of.shape(result_side).element_count()));
  const ContractIndexes all = of.indexes();
  std::array<Extent, ContractIndexes::max_count> at{};
  std::array<Extent, 3> place{};
  for (;;) {
    result[static_cast<std::size_t>(place[result_side])] +=
        static_cast<double>(left[static_cast<std::size_t>(place[left_side])]) *
        static_cast<double>(right[static_cast<std::size_t>(place[right_side])]);
    int i = 0;
    for (; i < all.count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const ContractIndex& index = all.item[k];
      for (std::size_t side = 0; side < 3; ++side) place[side] += index.stride[side];
      if (++at[k] < index.extent) break;
      at[k] = 0;
      for (std::size_t side = 0; side < 3; ++side) place[side] -= index.extent * index.stride[side];
    }
    if (i == all.count) return result;
  }
}

const std::vector<Contraction>& contractions() {
  static const std::vector<Contraction> all = {
      {{"ik", "kj", "ij"}, {{'i', 5}, {'j', 3}, {'k', 2}}},
      {{"ik", "kj", "ij"}, {{'i', 131}, {'j', 27}, {'k', 300}}},  // several depths
      {{"ki", "jk", "ij"}, {{'i', 131}, {'j', 27}, {'k', 19}}},   // both turned
      {{"ik", "kj", "ji"}, {{'i', 26}, {'j', 50}, {'k', 7}}},     // operands change places
      {{"bda", "dc", "abc"},
       {{'a', 96}, {'b', 9}, {'c', 11}, {'d', 17}}},  // runs joined, in pieces
      {{"bda", "dc", "abc"}, {{'a', 97}, {'b', 13}, {'c', 11}, {'d', 17}}},  // no pieces
      {{"dbea", "ec", "abcd"}, {{'a', 20}, {'b', 3}, {'c', 9}, {'d', 21}, {'e', 10}}},
      {{"dega", "gfbc", "abcdef"},
       {{'a', 7}, {'b', 4}, {'c', 5}, {'d', 6}, {'e', 3}, {'f', 4}, {'g', 9}}},
      {{"aebf", "fdec", "abcd"}, {{'a', 3}, {'b', 9}, {'c', 10}, {'d', 5}, {'e', 16}, {'f', 18}}},
      {{"eafd", "fbec", "abcd"}, {{'a', 12}, {'b', 9}, {'c', 10}, {'d', 5}, {'e', 16}, {'f', 3}}},
      {{"adec", "ebd", "abc"}, {{'a', 17}, {'b', 8}, {'c', 6}, {'d', 9}, {'e', 5}}},
      {{"efcad", "bf", "abcde"}, {{'a', 10}, {'b', 4}, {'c', 5}, {'d', 6}, {'e', 17}, {'f', 8}}},
      {{"cad", "dcb", "ab"}, {{'a', 31}, {'b', 30}, {'c', 33}, {'d', 48}}},  // depth in pieces
      {{"cad", "dcb", "ab"},
       {{'a', 31}, {'b', 30}, {'c', 24}, {'d', 47}}},  // which it cannot be in
      {{"bda", "dc", "abc"},
       {{'a', 104}, {'b', 40}, {'c', 11}, {'d', 37}}},  // pieces leave a rest: f64
      {{"bda", "dc", "abc"}, {{'a', 179}, {'b', 100}, {'c', 5}, {'d', 37}}},  // f32
      {{"ecbfa", "fd", "abcde"},
       {{'a', 36}, {'b', 8}, {'c', 3}, {'d', 2}, {'e', 24}, {'f', 24}}},  // pieces of two indexes
      {{"ca", "cb", "ab"}, {{'a', 8300}, {'b', 2}, {'c', 9}}},            // more rows than a block
  };
  return all;
}

template <class R>
std::vector<R> run_one(const Contraction& of, const PanelKernels<R>& use, R alpha, R beta,
                       const std::vector<R>& left, const std::vector<R>& right,
                       std::vector<R> result) {
  const PackedChoice choice = choose_packed(ContractGeometry(of.indexes()), 0, sizeof(R));
  std::vector<R> workspace(static_cast<std::size_t>(packed_workspace(choice.steps, sizeof(R))));
  const auto& rows = choice.swapped ? right : left;
  const auto& columns = choice.swapped ? left : right;
  run_packed<R>(choice.steps, use, alpha, rows.data(), columns.data(), beta, result.data(),
                workspace.data());
  return result;
}

template <class R>
class PackedProduct : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PackedProduct, Types);

TYPED_TEST(PackedProduct, EqualsTheSumOfProductsOnEveryInstructionSet) {
  using R = TypeParam;
  std::mt19937_64 random(3);
  int with_rest = 0;
  for (const Contraction& one : contractions()) {
    const PackedChoice choice = choose_packed(ContractGeometry(one.indexes()), 0, sizeof(R));
    with_rest += choice.steps.rows().size() > 1 ? 1 : 0;
    const auto left = random_block<R>(one.shape(left_side).element_count(), random);
    const auto right = random_block<R>(one.shape(right_side).element_count(), random);
    const auto old = random_block<R>(one.shape(result_side).element_count(), random);
    const auto sums = sum_plainly(one, left, right);
    for (const PanelKernels<R>* use : all_panel_kernels<R>()) {
      const auto found = run_one<R>(one, *use, R(2), R(-1), left, right, old);
      for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(found[i], 2 * sums[i] - static_cast<double>(old[i]),
                    4000 * static_cast<double>(std::numeric_limits<R>::epsilon()))
            << one.letters[result_side] << " lanes " << use->lanes << " element " << i;
    }
  }
  EXPECT_GT(with_rest, 0);
}

TEST(PackedChoice, CutsRowsIntoWholeVectorsAndARestWhereNoDivisorFillsThem) {
  const auto lists = [](Extent rows, Extent element_bytes) {
    const Contraction one{{"bda", "dc", "abc"}, {{'a', rows}, {'b', 296}, {'c', 296}, {'d', 296}}};
    const PackedChoice choice = choose_packed(ContractGeometry(one.indexes()), 0, element_bytes);
    const auto rows_of = choice.steps.rows();
    return std::vector<PackedRows>(rows_of.begin(), rows_of.end());
  };
  EXPECT_EQ(lists(288, 4).size(), 1u);
  const auto cut = lists(296, 4);
  ASSERT_EQ(cut.size(), 2u);
  EXPECT_EQ(cut[0].run % 16, 0);
  EXPECT_EQ(cut[1].offset[1], 296 / cut[0].run * cut[0].run);
  EXPECT_EQ(cut[0].indexes.total + cut[1].indexes.total, 296 * 296);
}

TEST(PackedChoice, AddsPiecesOfTheNextIndexToAShortRunUpToWholeLines) {
  const Contraction one{{"ecbfa", "fd", "abcde"},
                        {{'a', 36}, {'b', 16}, {'c', 16}, {'d', 16}, {'e', 24}, {'f', 24}}};
  for (const Extent element_bytes : {4, 8}) {
    const PackedChoice choice = choose_packed(ContractGeometry(one.indexes()), 0, element_bytes);
    const PackedRows& rows = choice.steps.rows()[0];
    EXPECT_GT(rows.run, 36);
    EXPECT_EQ(rows.run * element_bytes % 64, 0);
    EXPECT_TRUE(rows.joins_runs);
    EXPECT_EQ(rows.indexes.total, 36 * 16 * 16 * 24);
  }
}

TYPED_TEST(PackedProduct, OverwritesWhatIsNoNumberWithBetaZero) {
  using R = TypeParam;
  std::mt19937_64 random(4);
  for (const Contraction& one : contractions()) {
    const auto left = random_block<R>(one.shape(left_side).element_count(), random);
    const auto right = random_block<R>(one.shape(right_side).element_count(), random);
    const std::vector<R> nothing(static_cast<std::size_t>(one.shape(result_side).element_count()),
                                 std::numeric_limits<R>::quiet_NaN());
    for (const PanelKernels<R>* use : all_panel_kernels<R>())
      for (const R value : run_one<R>(one, *use, R(1), R(0), left, right, nothing))
        ASSERT_TRUE(std::isfinite(value));
  }
}

TYPED_TEST(PackedProduct, GivesTheSameBitsOnAllInstructionSetsWithFusedMultiplyAdd) {
  using R = TypeParam;
  const auto all = all_panel_kernels<R>();
  if (all.size() < 3) GTEST_SKIP() << "this processor has one instruction set only";
  std::mt19937_64 random(5);
  for (const Contraction& one : contractions()) {
    const auto left = random_block<R>(one.shape(left_side).element_count(), random);
    const auto right = random_block<R>(one.shape(right_side).element_count(), random);
    const auto old = random_block<R>(one.shape(result_side).element_count(), random);
    for (const auto& [alpha, beta] : {std::pair(R(2), R(-1)), std::pair(R(0.3), R(0.7))})
      ASSERT_EQ(run_one<R>(one, *all[1], alpha, beta, left, right, old),
                run_one<R>(one, *all[2], alpha, beta, left, right, old));
  }
}

TYPED_TEST(PackedProduct, MultipliesSmallMatricesSideBySideOnEveryInstructionSet) {
  using R = TypeParam;
  std::mt19937_64 random(8);
  for (const PanelKernels<R>* use : all_panel_kernels<R>())
    for (const Extent count : {1, 5, 16, 37})
      for (const Extent m : {1, 2, 7, 16})
        for (const Extent n : {1, 3, 8})
          for (const Extent k : {1, 2, 9})
            for (const R beta : {R(0), R(-1)}) {
              const Extent apart = count + 1;  // what lies between stays as it is
              const auto left = random_block<R>(apart * m * k, random);
              const auto right = random_block<R>(apart * k * n, random);
              auto result = random_block<R>(apart * m * n, random), expected = result;
              for (Extent i = 0; i < m * n; ++i)
                for (Extent p = 0; p < count; ++p) {
                  R sum = 0;
                  for (Extent l = 0; l < k; ++l)
                    sum += left[static_cast<std::size_t>(p + apart * (i % m + l * m))] *
                           right[static_cast<std::size_t>(p + apart * (i / m + l * n))];
                  R& at = expected[static_cast<std::size_t>(p + apart * i)];
                  at = 2 * sum + beta * at;
                  if (beta == R(0))
                    result[static_cast<std::size_t>(p + apart * i)] =
                        std::numeric_limits<R>::quiet_NaN();
                }
              use->multiply_batch({count, m, n, k, R(2), left.data(), apart, apart * m,
                                   right.data(), apart * n, apart, beta, result.data(), apart,
                                   apart * m});
              for (std::size_t i = 0; i < result.size(); ++i)
                ASSERT_NEAR(result[i], expected[i], 64 * std::numeric_limits<R>::epsilon())
                    << count << " of " << m << " x " << n << " x " << k << ", lanes " << use->lanes;
            }
}

/// Large enough for stores that pass the caches, and with rows that such stores cannot reach.
TEST(PackedProduct, WritesLargeResultsPastTheCaches) {
  std::mt19937_64 random(6);
  for (const Extent rows : {1536, 1537}) {
    const Contraction one{{"ik", "kj", "ij"}, {{'i', rows}, {'j', 2740}, {'k', 3}}};
    const auto left = random_block<double>(one.shape(left_side).element_count(), random);
    const auto right = random_block<double>(one.shape(right_side).element_count(), random);
    const std::vector<double> old(static_cast<std::size_t>(one.shape(result_side).element_count()));
    const auto sums = sum_plainly(one, left, right);
    const auto found = run_one<double>(one, panel_kernels<double>(), 1, 0, left, right, old);
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], sums[i], 1e-13);
  }
}

TEST(ContractParts, ReadTheLargeOperandOnlyOnce) {
  const auto names = [](std::string_view some) {
    return Names(std::vector<int>(some.begin(), some.end()));
  };
  const ContractSpec spec{names("abc"), names("bda"), names("dc")};
  const ContractPlan whole(spec, {40, 40, 40}, {40, 40, 40}, {40, 40});
  for (const int part : {0, 1}) {
    const ContractPlan plan(spec, {40, 40, 40}, {40, 40, 40}, {40, 40},
                            {ElementKind::real, part, 2});
    EXPECT_EQ(plan.m(), whole.m() / 2);
    EXPECT_EQ(plan.n(), whole.n());
  }
}

TEST(ContractParts, TogetherAreTheWholeContraction) {
  std::mt19937_64 random(7);
  for (const Contraction& one : contractions()) {
    const auto names = [&](Side side) {
      return Names(std::vector<int>(one.letters[side].begin(), one.letters[side].end()));
    };
    const ContractSpec spec{names(result_side), names(left_side), names(right_side)};
    const Shape result = one.shape(result_side);
    const auto left = random_block<double>(one.shape(left_side).element_count(), random);
    const auto right = random_block<double>(one.shape(right_side).element_count(), random);
    const auto sums = sum_plainly(one, left, right);
    for (const int parts : {1, 2, 3, 7}) {
      std::vector<double> found(sums.size(), std::numeric_limits<double>::quiet_NaN());
      for (int part = 0; part < parts; ++part) {
        const ContractPlan plan(spec, result, one.shape(left_side), one.shape(right_side),
                                {ElementKind::real, part, parts});
        std::vector<double> workspace(static_cast<std::size_t>(plan.workspace_elements()));
        run<double>(plan, 1, left.data(), right.data(), 0, found.data(), workspace);
      }
      for (std::size_t i = 0; i < sums.size(); ++i) ASSERT_NEAR(found[i], sums[i], 1e-12);
    }
  }
}

}  // namespace
}  // namespace blockyard::tensor::detail
