// SPDX-License-Identifier: Apache-2.0
#include "blockyard/tensor/contract.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/tensor/test_blocks.h"

namespace blockyard::tensor {
namespace {

using base::Error;

using test::random_block;
using test::random_value;

template <class T>
T conjugated(T x, Conjugate how) {
  if constexpr (!std::same_as<T, Real<T>>)
    if (how == Conjugate::yes) return std::conj(x);
  return x;
}

using Extents = std::map<int, Extent>;

Shape shape_of(const Names& names, const Extents& extents) {
  std::vector<Extent> each;
  for (const int name : names.all()) each.push_back(extents.at(name));
  return Shape(each);
}

std::size_t offset(const Names& names, const Extents& extents, const std::map<int, Extent>& at) {
  Extent place = 0, stride = 1;
  for (const int name : names.all()) {
    place += at.at(name) * stride;
    stride *= extents.at(name);
  }
  return static_cast<std::size_t>(place);
}

/// The definition, one product at a time.
template <class T>
void contract_naively(const ContractSpec& spec, const Extents& extents, T alpha,
                      const std::vector<T>& left, const std::vector<T>& right, T beta,
                      std::vector<T>& result) {
  for (T& value : result) value = beta == T(0) ? T(0) : beta * value;
  std::map<int, Extent> at;
  for (const auto& [name, extent] : extents) at[name] = 0;
  for (;;) {
    result[offset(spec.result, extents, at)] +=
        alpha * conjugated(left[offset(spec.left, extents, at)], spec.conjugate_left) *
        conjugated(right[offset(spec.right, extents, at)], spec.conjugate_right);
    auto index = extents.begin();
    for (; index != extents.end(); ++index) {
      if (++at[index->first] < index->second) break;
      at[index->first] = 0;
    }
    if (index == extents.end()) return;
  }
}

template <class T>
void expect_like_naive(const ContractSpec& spec, const Extents& extents, T alpha, T beta,
                       std::mt19937_64& random) {
  const Shape result_shape = shape_of(spec.result, extents);
  const Shape left_shape = shape_of(spec.left, extents);
  const Shape right_shape = shape_of(spec.right, extents);
  const ContractPlan plan(spec, result_shape, left_shape, right_shape, options_for<T>);
  const auto left = random_block<T>(left_shape.element_count(), random);
  const auto right = random_block<T>(right_shape.element_count(), random);
  auto result = random_block<T>(result_shape.element_count(), random);
  if (beta == T(0)) std::ranges::fill(result, T(std::numeric_limits<Real<T>>::quiet_NaN()));
  auto expected = result;
  contract_naively(spec, extents, alpha, left, right, beta, expected);
  std::vector<T> workspace(static_cast<std::size_t>(plan.workspace_elements()));
  run<T>(plan, alpha, left.data(), right.data(), beta, result.data(), workspace);
  const double tolerance =
      20.0 * std::numeric_limits<Real<T>>::epsilon() * (4.0 + static_cast<double>(plan.k()));
  for (std::size_t i = 0; i < result.size(); ++i)
    ASSERT_LE(std::abs(result[i] - expected[i]), tolerance) << "element " << i;
}

/// A random contraction: each name stands in two or three operands, in random order.
struct RandomContraction {
  ContractSpec spec;
  Extents extents;
  std::string text;
};

RandomContraction random_contraction(std::mt19937_64& random, Extent largest) {
  std::array<std::vector<int>, 3> names;  // result, left, right
  RandomContraction made;
  Extent work = 1;
  const int count = static_cast<int>(random() % 9);
  for (int name = 0; name < count; ++name) {
    const unsigned where = random() % 8 == 0 ? 3u : static_cast<unsigned>(random() % 3);
    const Extent extent = 1 + static_cast<Extent>(random() % static_cast<std::uint64_t>(largest));
    if (work * extent > 20000) continue;
    bool fits = true;
    for (unsigned side = 0; side < 3; ++side)
      fits = fits && (side == where || names[side].size() < Shape::max_order);
    if (!fits) continue;
    work *= extent;
    made.extents[10 * name - 5] = extent;
    for (unsigned side = 0; side < 3; ++side)
      if (side != where) names[side].push_back(10 * name - 5);
  }
  for (auto& order : names) std::ranges::shuffle(order, random);
  made.spec = {Names(names[0]), Names(names[1]), Names(names[2])};
  if (random() % 4 == 0) made.spec.conjugate_left = Conjugate::yes;
  if (random() % 4 == 0) made.spec.conjugate_right = Conjugate::yes;
  for (const auto& order : names) {
    for (const int name : order)
      made.text += std::to_string(name) + ":" + std::to_string(made.extents[name]) + " ";
    made.text += "| ";
  }
  return made;
}

template <class T>
class Contraction : public ::testing::Test {};
using Types = ::testing::Types<float, double, c64, c128>;
TYPED_TEST_SUITE(Contraction, Types);

TYPED_TEST(Contraction, RandomOnesEqualTheDefinition) {
  using T = TypeParam;
  std::mt19937_64 random(7);
  const std::array<T, 4> factors = {T(0), T(1), T(-0.5), random_value<T>(random)};
  for (int trial = 0; trial < 400; ++trial) {
    const RandomContraction made = random_contraction(random, trial % 2 == 0 ? 5 : 12);
    SCOPED_TRACE("trial " + std::to_string(trial) + ": " + made.text);
    const T alpha = factors[1 + random() % 3];
    const T beta = factors[random() % 4];
    ASSERT_NO_FATAL_FAILURE(expect_like_naive(made.spec, made.extents, alpha, beta, random));
  }
}

TYPED_TEST(Contraction, EveryOrderOfASmallOneEqualsTheDefinition) {
  using T = TypeParam;
  std::mt19937_64 random(8);
  const Extents extents = {{1, 3}, {2, 4}, {3, 5}, {4, 2}};
  std::vector<int> result = {1, 3, 4};
  do {
    std::vector<int> left = {1, 2, 4};
    do {
      std::vector<int> right = {2, 3, 4};
      do {
        const ContractSpec spec{Names(result), Names(left), Names(right)};
        ASSERT_NO_FATAL_FAILURE(expect_like_naive(spec, extents, T(1), T(1), random));
      } while (std::ranges::next_permutation(right).found);
    } while (std::ranges::next_permutation(left).found);
  } while (std::ranges::next_permutation(result).found);
}

/// An index that is fastest in all operands: its products run side by side in the lanes of vectors.
TYPED_TEST(Contraction, SmallProductsSideBySideEqualTheDefinition) {
  using T = TypeParam;
  std::mt19937_64 random(10);
  const std::vector<ContractSpec> all = {
      {{9, 1, 2}, {9, 1, 3}, {9, 3, 2}},           // a matrix times a matrix
      {{9, 2, 1}, {9, 3, 1}, {9, 2, 3}},           // all turned
      {{9, 1, 2, 8}, {9, 3, 1, 8}, {9, 3, 2, 8}},  // with a slower batch around
      {{9, 1}, {9, 1, 3}, {9, 3}},                 // a matrix times a vector
      {{9}, {9, 3}, {9, 3}},                       // dot products
      {{9, 1, 2}, {9, 1}, {9, 2}},                 // outer products
  };
  for (const ContractSpec& spec : all)
    for (const Extent count : {7, 8, 33})
      for (const Extent m : {2, 5, 9}) {
        Extents extents;
        for (const Names* names : {&spec.left, &spec.right})
          for (const int name : names->all())
            extents[name] = std::map<int, Extent>{{1, m}, {2, 7}, {3, 6}, {8, 2}, {9, count}}[name];
        for (const T beta : {T(0), T(2)})
          ASSERT_NO_FATAL_FAILURE(expect_like_naive(spec, extents, T(1.5), beta, random));
      }
}

TEST(ContractPlan, RunsSmallProductsSideBySideWhereTheBatchIsFastest) {
  const auto kernel = [](Extent side) {
    const ContractPlan plan({{9, 1, 2}, {9, 1, 3}, {9, 3, 2}}, {100, side, side}, {100, side, side},
                            {100, side, side});
    EXPECT_EQ(plan.permutation_count() > 0, side > 100);
    return plan.steps().kernel;
  };
  EXPECT_EQ(kernel(4), detail::MatrixKernel::batch);
  EXPECT_EQ(kernel(16), detail::MatrixKernel::batch);
  EXPECT_NE(kernel(200), detail::MatrixKernel::batch);  // too large for the first cache
}

TYPED_TEST(Contraction, MatrixVectorDotOuterAndScalarEqualTheDefinition) {
  using T = TypeParam;
  std::mt19937_64 random(9);
  const Extents all = {{1, 37}, {2, 23}};
  const auto check = [&](const ContractSpec& spec) {
    Extents extents;
    for (const Names* names : {&spec.left, &spec.right})
      for (const int name : names->all()) extents[name] = all.at(name);
    for (const T beta : {T(0), T(2)})
      ASSERT_NO_FATAL_FAILURE(expect_like_naive(spec, extents, T(1.5), beta, random));
  };
  check({{1}, {1, 2}, {2}});
  check({{1}, {2, 1}, {2}});
  check({{2}, {1}, {1, 2}});
  check({{2}, {1}, {2, 1}});
  check({{}, {1}, {1}});
  check({{}, {1, 2}, {2, 1}});
  check({{1, 2}, {1}, {2}});
  check({{2, 1}, {1}, {2}});
  check({{1, 2}, {1, 2}, {}});
  check({{2, 1}, {}, {1, 2}});
  check({{}, {}, {}});
  check({{1, 2}, {1, 2}, {2, 1}});
}

ContractPlan cube_plan(const ContractSpec& spec, Extent extent) {
  const auto shape = [&](const Names& names) {
    return Shape(std::vector<Extent>(names.order(), extent));
  };
  return {spec, shape(spec.result), shape(spec.left), shape(spec.right), options_for<c128>};
}

TEST(ContractPlan, PermutesNothingWhereTheOperandsAllowIt) {
  const std::vector<ContractSpec> free_of_permutation = {
      {{1, 2, 3, 4}, {1, 2, 5, 6}, {5, 6, 3, 4}},  // as it stands
      {{1, 2, 3, 4}, {5, 6, 1, 2}, {5, 6, 3, 4}},  // left transposed
      {{1, 2, 3, 4}, {1, 2, 5, 6}, {3, 4, 5, 6}},  // right transposed
      {{3, 4, 1, 2}, {1, 2, 5, 6}, {5, 6, 3, 4}},  // left and right exchanged
      {{1, 2, 3, 4}, {5, 1}, {5, 2, 3, 4}},        // order 2 times order 4
      {{1, 2, 9}, {1, 5, 9}, {5, 2, 9}},           // batched
  };
  for (const ContractSpec& spec : free_of_permutation) {
    const ContractPlan plan = cube_plan(spec, 10);
    EXPECT_EQ(plan.permutation_count(), 0);
    EXPECT_EQ(plan.workspace_elements(), 0);
  }
}

TEST(ContractPlan, PermutesOneOperandWhereOneIsOutOfOrder) {
  const ContractPlan plan = cube_plan({{1, 2, 3, 4}, {1, 5, 2, 6}, {5, 6, 3, 4}}, 20);
  EXPECT_EQ(plan.permutation_count(), 1);
  EXPECT_EQ(plan.workspace_elements(), 20 * 20 * 20 * 20);
  EXPECT_EQ(plan.m(), 400);
  EXPECT_EQ(plan.n(), 400);
  EXPECT_EQ(plan.k(), 400);
}

template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), base::Errc::bad_input);
    return error.what();
  }
  return "no error";
}

TEST(ContractPlan, SaysWhatIsWrongWithTheNames) {
  const auto plan = [](const ContractSpec& spec, Shape result, Shape left, Shape right) {
    return error_of([&] { ContractPlan(spec, result, left, right); });
  };
  EXPECT_NE(plan({{1}, {1, 2}, {}}, {3}, {3, 4}, {}).find("appears in one operand only"),
            std::string::npos);
  EXPECT_NE(plan({{1, 7}, {1}, {}}, {3, 4}, {3}, {}).find("appears in one operand only"),
            std::string::npos);
  EXPECT_NE(plan({{}, {1, 1}, {1}}, {}, {3, 3}, {3}).find("twice in the left operand"),
            std::string::npos);
  EXPECT_NE(plan({{1}, {1, 2}, {2}}, {3}, {3, 4}, {5}).find("extent 5 in the right operand"),
            std::string::npos);
  EXPECT_NE(plan({{1}, {1, 2}, {2}}, {3}, {3}, {4}).find("2 index names for a left operand"),
            std::string::npos);
  EXPECT_NE(error_of([] { Names{1, 2, 3, 4, 5, 6, 7, 8, 9}; }).find("9 index names"),
            std::string::npos);
}

TEST(ContractPlan, RefusesAWorkspaceThatIsTooSmall) {
  const ContractPlan plan = cube_plan({{1, 2, 3, 4}, {1, 5, 2, 6}, {5, 6, 3, 4}}, 20);
  const std::vector<c128> block(20 * 20 * 20 * 20);
  std::vector<c128> result(block.size());
  EXPECT_NE(error_of([&] {
              run<c128>(plan, 1, block.data(), block.data(), 0, result.data(), {});
            }).find("workspace"),
            std::string::npos);
}

TEST(ContractSpec, IsAValue) {
  const ContractSpec one{{1, 2}, {1, 3}, {3, 2}};
  ContractSpec other = one;
  EXPECT_EQ(one, other);
  other.conjugate_right = Conjugate::yes;
  EXPECT_NE(one, other);
}

}  // namespace
}  // namespace blockyard::tensor
