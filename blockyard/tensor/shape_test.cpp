// SPDX-License-Identifier: Apache-2.0
#include "blockyard/tensor/shape.h"

#include <gtest/gtest.h>

#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/tensor/view.h"

namespace blockyard::tensor {
namespace {

TEST(Shape, OfOrderZeroIsOneElement) {
  const Shape scalar;
  EXPECT_EQ(scalar.order(), 0u);
  EXPECT_EQ(scalar.element_count(), 1);
  EXPECT_EQ(scalar, Shape(std::span<const Extent>{}));
}

TEST(Shape, CountsElementsAndKeepsExtents) {
  const Shape shape = {2, 3, 4};
  EXPECT_EQ(shape.order(), 3u);
  EXPECT_EQ(shape.element_count(), 24);
  EXPECT_EQ(shape[2], 4);
  EXPECT_EQ(shape.extents().size(), 3u);
  EXPECT_NE(shape, (Shape{2, 3}));
  EXPECT_NE(shape, (Shape{2, 3, 5}));
}

TEST(Shape, RefusesWhatIsNoBlock) {
  EXPECT_THROW((Shape{2, 0}), base::Error);
  EXPECT_THROW((Shape{-1}), base::Error);
  EXPECT_THROW((Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}), base::Error);
  EXPECT_THROW((Shape{Extent{1} << 40, Extent{1} << 40}), base::Error);
}

TEST(DenseStrides, LetTheFirstIndexBeTheFastest) {
  const Strides strides = dense_strides({2, 3, 4});
  EXPECT_EQ(strides[0], 1);
  EXPECT_EQ(strides[1], 2);
  EXPECT_EQ(strides[2], 6);
  EXPECT_EQ(strides[3], 0);
}

TEST(View, KnowsWhetherItIsDense) {
  std::vector<double> block(24);
  const auto whole = View<double>::dense(block.data(), {2, 3, 4});
  EXPECT_TRUE(whole.is_dense());
  View<double> slice = whole;
  slice.shape = {2, 2, 4};
  EXPECT_FALSE(slice.is_dense());
  slice.shape = {2, 3, 1};
  slice.strides[2] = 77;  // of an extent of 1: no matter
  EXPECT_TRUE(slice.is_dense());
  const View<const double> constant = whole;
  EXPECT_EQ(constant.data, block.data());
}

}  // namespace
}  // namespace blockyard::tensor
