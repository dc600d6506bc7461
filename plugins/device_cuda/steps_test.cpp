// SPDX-License-Identifier: Apache-2.0
// Which operations go where.
#include "plugins/device_cuda/steps.h"

#include <gtest/gtest.h>

#include <vector>

namespace blockyard::cuda {
namespace {

using Names = std::vector<int>;

/// Indexes 0 to 9 are long, the others short.
blockyard_operand operand(const Names& names) {
  blockyard_operand made{};
  for (const int name : names) {
    made.name[made.order] = name;
    made.extent[made.order++] = name < 10 ? 20 + name : 2 + name % 5;
  }
  return made;
}

Steps steps(blockyard_kind kind, const Names& result, const Names& left, const Names& right = {},
            unsigned flags = 0, std::uint32_t element = BLOCKYARD_F64) {
  blockyard_operation operation{};
  operation.size = sizeof operation;
  operation.kind = kind;
  operation.element = element;
  operation.flags = flags;
  operation.result = operand(result);
  operation.left = operand(left);
  operation.right = operand(right);
  plugin::Form form;
  const char* why = nullptr;
  EXPECT_EQ(plugin::analyse(operation, form, &why), BLOCKYARD_OK) << why;
  return steps_of(operation, form);
}

TEST(Gpus, AnOldOneBesideOthersIsNotCounted) {
  using Numbers = std::vector<int>;
  EXPECT_EQ(usable_gpus(Numbers{90, 61, 75}), (Numbers{0, 2}));
  EXPECT_EQ(usable_gpus(Numbers{61, 52}), (Numbers{0, 1}));  // opening one says why not
  EXPECT_EQ(usable_gpus(Numbers{}), Numbers{});
}

TEST(Steps, ProductsOfMatricesAreForCublas) {
  EXPECT_FALSE(steps(BLOCKYARD_CONTRACT, {0, 1}, {0, 2}, {2, 1}).suits_cutensor);
  EXPECT_FALSE(steps(BLOCKYARD_CONTRACT, {1, 0}, {2, 0}, {1, 2}).suits_cutensor);
  EXPECT_FALSE(steps(BLOCKYARD_CONTRACT, {0, 1, 2, 3}, {0, 1, 4, 5}, {4, 5, 2, 3}).suits_cutensor);
  EXPECT_FALSE(steps(BLOCKYARD_CONTRACT, {0, 1, 3}, {0, 2, 3}, {2, 1, 3}).suits_cutensor);
  EXPECT_FALSE(steps(BLOCKYARD_CONTRACT, {0}, {0, 1}, {1}).suits_cutensor);
  EXPECT_FALSE(steps(BLOCKYARD_DOT, {}, {0, 1}, {0, 1}).suits_cutensor);
}

TEST(Steps, ContractionsThatNeedReorderingAreForCutensor) {
  const Steps reordered = steps(BLOCKYARD_CONTRACT, {0, 2, 1}, {1, 3, 0}, {2, 3});
  EXPECT_TRUE(reordered.suits_cutensor);
  EXPECT_GT(reordered.workspace_bytes, 0U);
  EXPECT_TRUE(steps(BLOCKYARD_CONTRACT, {3, 0, 1}, {0, 2, 3}, {2, 3, 1}).suits_cutensor);
}

TEST(Steps, ProductsThatOnlyConjugateAreForCutensorWhereNumbersAreComplex) {
  const auto one = [](std::uint32_t element) {
    return steps(BLOCKYARD_CONTRACT, {0, 1}, {0, 2}, {2, 1}, blockyard_conjugate_left, element);
  };
  EXPECT_TRUE(one(BLOCKYARD_C128).suits_cutensor);
  EXPECT_TRUE(conjugates(one(BLOCKYARD_C64).operation, plugin::of_left));
  EXPECT_FALSE(conjugates(one(BLOCKYARD_C64).operation, plugin::of_right));
  EXPECT_FALSE(one(BLOCKYARD_F64).suits_cutensor);
  EXPECT_FALSE(conjugates(one(BLOCKYARD_F64).operation, plugin::of_left));
}

TEST(Steps, PermutationsWithoutTilesAreForCutensor) {
  EXPECT_FALSE(steps(BLOCKYARD_PERMUTE, {1, 0}, {0, 1}).suits_cutensor);
  EXPECT_FALSE(steps(BLOCKYARD_PERMUTE, {2, 11, 1}, {1, 11, 2}).suits_cutensor);
  EXPECT_TRUE(steps(BLOCKYARD_PERMUTE, {0, 2, 1}, {0, 1, 2}).suits_cutensor);  // one fastest axis
  EXPECT_TRUE(steps(BLOCKYARD_PERMUTE, {11, 0}, {0, 11}).suits_cutensor);      // a short side
  EXPECT_TRUE(steps(BLOCKYARD_PERMUTE, {0, 11}, {11, 0}).suits_cutensor);
}

TEST(Steps, WhatIsNoPermutationIsOurs) {
  EXPECT_FALSE(steps(BLOCKYARD_PERMUTE, {0, 1}, {0, 1}).suits_cutensor);
  EXPECT_FALSE(steps(BLOCKYARD_AXPBY, {0, 1}, {0, 1}).suits_cutensor);
  EXPECT_FALSE(steps(BLOCKYARD_PERMUTE, {}, {}).suits_cutensor);
  EXPECT_FALSE(steps(BLOCKYARD_PERMUTE, {10}, {10}).suits_cutensor);
}

}  // namespace
}  // namespace blockyard::cuda
