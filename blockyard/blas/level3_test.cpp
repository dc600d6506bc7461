// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/level3.h"

#include <gtest/gtest.h>

#include <vector>

#include "blockyard/blas/test_product.h"

namespace blockyard::blas {
namespace {

/// 3 x 4 times 4 x 2, everything in its own memory.
struct Example {
  std::vector<double> a = std::vector<double>(12), b = std::vector<double>(8),
                      c = std::vector<double>(6);
  Call<double> call = plain_product(3, 2, 4, a.data(), b.data(), c.data());
};

TEST(Level3, that_the_routine_takes_is_usual) {
  Example example;
  EXPECT_TRUE(is_usual(example.call));
  EXPECT_EQ(flops_of(example.call), 48.0);
  EXPECT_EQ(name_of<c64>(Form::her2k), "cher2k");
}

TEST(Level3, of_other_arguments_is_left_to_the_local_library) {
  const auto is_left = [](auto change) {
    Example example;
    change(example);
    return !is_usual(example.call);
  };
  EXPECT_TRUE(is_left([](Example& e) { e.call.op_a = 'X'; }));
  EXPECT_TRUE(is_left([](Example& e) { e.call.m = 0; }));
  EXPECT_TRUE(is_left([](Example& e) { e.call.k = -1; }));
  EXPECT_TRUE(is_left([](Example& e) { e.call.lda = 2; }));
  EXPECT_TRUE(is_left([](Example& e) { e.call.op_a = 'T'; })) << "then a has 4 rows";
  EXPECT_TRUE(is_left([](Example& e) { e.call.ldc = 2; }));
  EXPECT_TRUE(is_left([](Example& e) { e.call.alpha = 0; }));
  EXPECT_TRUE(is_left([](Example& e) { e.call.c = e.a.data() + 1; })) << "overlap";
}

TEST(Level3, of_blocks_between_each_others_columns_overlaps_nothing) {
  constexpr std::int64_t n = 10, first = 4, rest = n - first;
  std::vector<double> matrix(n * n + n);
  double* const a = matrix.data();
  Call<double> call = plain_product(rest, rest, first, a + first, a + first * n, a);
  call.lda = call.ldb = call.ldc = n;
  const auto usual_at = [&](std::int64_t row, std::int64_t column) {
    call.c = a + row + column * n;
    return is_usual(call);
  };
  EXPECT_TRUE(usual_at(first, first));  // the update of a factorisation
  EXPECT_FALSE(usual_at(first - 1, first)) << "the last row of b";
  EXPECT_FALSE(usual_at(first, first - 1)) << "the last column of a";
  EXPECT_FALSE(usual_at(first + 1, first)) << "its last row goes on in the next column of b";
  call.ldc = n + 1;
  EXPECT_FALSE(usual_at(first, first)) << "other columns";
}

TEST(Level3, letters_are_those_of_the_routine) {
  std::vector<c128> a(9), c(9);
  Call<c128> call{.form = Form::herk,
                  .n = 3,
                  .k = 3,
                  .alpha = 1,
                  .a = a.data(),
                  .lda = 3,
                  .c = c.data(),
                  .ldc = 3};
  EXPECT_TRUE(is_usual(call));
  call.op_a = 'T';
  EXPECT_FALSE(is_usual(call)) << "herk knows N and C";
  call.form = Form::syrk;
  EXPECT_TRUE(is_usual(call));
  call.op_a = 'C';
  EXPECT_FALSE(is_usual(call)) << "syrk of complex elements knows N and T";
  call.form = Form::trsm;
  call.m = 3;
  call.diag = 'X';
  EXPECT_FALSE(is_usual(call));
}

TEST(Level3, rest_begins_where_the_complete_part_ends) {
  Example example;
  const auto plain = rest_of(example.call, 1);
  EXPECT_EQ(plain.n, 1);
  EXPECT_EQ(plain.b, example.b.data() + 4);
  EXPECT_EQ(plain.c, example.c.data() + 3);
  Call<double> call = example.call;
  call.op_b = 'T';
  call.ldb = 2;
  EXPECT_EQ(rest_of(call, 1).b, example.b.data() + 1);
  call = {.form = Form::trmm, .side = 'R', .m = 5, .n = 2, .c = example.c.data(), .ldc = 5};
  EXPECT_EQ(rest_of(call, 2).m, 3);
  EXPECT_EQ(rest_of(call, 2).c, example.c.data() + 2);
}

TEST(Level3, rest_of_a_triangle_is_the_triangle_that_is_left) {
  Example example;
  Call<double> call{.form = Form::syrk,
                    .uplo = 'L',
                    .n = 3,
                    .k = 2,
                    .a = example.a.data(),
                    .lda = 3,
                    .c = example.c.data(),
                    .ldc = 3};
  EXPECT_EQ(rest_of(call, 1).n, 2);
  EXPECT_EQ(rest_of(call, 1).a, example.a.data() + 1);
  EXPECT_EQ(rest_of(call, 1).c, example.c.data() + 4);
  call.uplo = 'U';
  EXPECT_EQ(rest_of(call, 1).a, example.a.data());
  EXPECT_EQ(rest_of(call, 1).c, example.c.data());
}

TEST(Level3, by_rows_is_the_transposed_call) {
  const Call<c128> her2k = by_columns(
      Call<c128>{.form = Form::her2k, .uplo = 'U', .op_a = 'N', .n = 3, .alpha = {1, 2}});
  EXPECT_EQ(her2k.uplo, 'L');
  EXPECT_EQ(her2k.op_a, 'C');
  EXPECT_EQ(her2k.alpha, c128(1, -2));
  const Call<double> trsm = by_columns(
      Call<double>{.form = Form::trsm, .side = 'L', .uplo = 'L', .op_a = 'T', .m = 2, .n = 5});
  EXPECT_EQ(trsm.side, 'R');
  EXPECT_EQ(trsm.uplo, 'U');
  EXPECT_EQ(trsm.op_a, 'T');
  EXPECT_EQ(trsm.m, 5);
  const Call<double> gemm = by_columns(Call<double>{.op_a = 'T', .m = 2, .n = 5});
  EXPECT_EQ(gemm.side, 'L');
  EXPECT_EQ(gemm.op_b, 'T');
  EXPECT_EQ(gemm.m, 5);
}

}  // namespace
}  // namespace blockyard::blas
