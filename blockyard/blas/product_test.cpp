// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/product.h"

#include <gtest/gtest.h>

#include <vector>

namespace blockyard::blas {
namespace {

/// 3 x 4 times 4 x 2, everything in its own memory.
struct Example {
  std::vector<double> a = std::vector<double>(12), b = std::vector<double>(8),
                      c = std::vector<double>(6);
  Product<double> product{'N', 'N', 3, 2, 4, 1.0, a.data(), 3, b.data(), 4, 0.0, c.data(), 3};
};

TEST(Product, that_the_routine_takes_is_usual) {
  Example example;
  EXPECT_TRUE(is_usual(example.product));
  EXPECT_EQ(example.product.flops(), 48.0);
}

TEST(Product, of_other_arguments_is_left_to_the_local_library) {
  const auto is_left = [](auto change) {
    Example example;
    change(example);
    return !is_usual(example.product);
  };
  EXPECT_TRUE(is_left([](Example& e) { e.product.op_a = 'X'; }));
  EXPECT_TRUE(is_left([](Example& e) { e.product.m = 0; }));
  EXPECT_TRUE(is_left([](Example& e) { e.product.k = -1; }));
  EXPECT_TRUE(is_left([](Example& e) { e.product.lda = 2; }));
  EXPECT_TRUE(is_left([](Example& e) { e.product.op_a = 'T'; })) << "then a has 4 rows";
  EXPECT_TRUE(is_left([](Example& e) { e.product.ldc = 2; }));
  EXPECT_TRUE(is_left([](Example& e) { e.product.alpha = 0; }));
  EXPECT_TRUE(is_left([](Example& e) { e.product.c = e.a.data() + 1; })) << "overlap";
}

TEST(Product, of_some_columns_begins_where_they_do) {
  Example example;
  const auto plain = example.product.columns(1, 2);
  EXPECT_EQ(plain.n, 1);
  EXPECT_EQ(plain.b, example.b.data() + 4);
  EXPECT_EQ(plain.c, example.c.data() + 3);
  example.product.op_b = 'T';
  example.product.ldb = 2;
  EXPECT_EQ(example.product.columns(1, 2).b, example.b.data() + 1);
}

}  // namespace
}  // namespace blockyard::blas
