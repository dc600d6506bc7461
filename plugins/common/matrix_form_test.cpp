// SPDX-License-Identifier: Apache-2.0
// The steps of a form, done with naive loops on the host, give the contraction.
#include "plugins/common/matrix_form.h"

#include <gtest/gtest.h>

#include <vector>

namespace blockyard::plugin {
namespace {

using Values = std::vector<double>;
using Names = std::vector<int>;

std::int64_t extent_of_name(int name) { return 2 + name % 4; }

blockyard_operand operand(const Names& names) {
  blockyard_operand result{};
  for (const int name : names) {
    result.name[result.order] = name;
    result.extent[result.order++] = extent_of_name(name);
  }
  return result;
}

blockyard_operation operation(const Names& result, const Names& left, const Names& right) {
  blockyard_operation all{};
  all.size = sizeof all;
  all.kind = BLOCKYARD_CONTRACT;
  all.element = BLOCKYARD_F64;
  all.result = operand(result);
  all.left = operand(left);
  all.right = operand(right);
  return all;
}

Values counted(std::uint64_t count, double first) {
  Values values;
  for (std::uint64_t i = 0; i < count; ++i) values.push_back(first + static_cast<double>(i % 17));
  return values;
}

/// Calls body(offsets in result, left, right) for every setting of all axes.
template <class Body>
void for_all(const Axes& axes, const Body& body) {
  const std::int64_t count = extent_of(axes);
  for (std::int64_t position = 0; position < count; ++position) {
    std::array<std::int64_t, 3> at{};
    std::int64_t rest = position;
    for (const Axis& axis : axes) {
      for (std::size_t side = 0; side < 3; ++side)
        at[side] += rest % axis.extent * axis.stride[side];
      rest /= axis.extent;
    }
    body(at);
  }
}

double element(const MatrixForm::Operand& matrix, const double* memory, std::int64_t row,
               std::int64_t column) {
  return matrix.is_transposed ? memory[column + row * matrix.leading]
                              : memory[row + column * matrix.leading];
}

/// result = left * right by the steps of the form.
Values by_matrices(const MatrixForm& form, const Values& left, const Values& right, Values result) {
  Values workspace(static_cast<std::size_t>(form.workspace_elements), -99);
  std::array<const double*, 3> memory = {nullptr, left.data(), right.data()};
  for (const std::size_t side : {std::size_t{of_left}, std::size_t{of_right}}) {
    const MatrixForm::Operand& one = form.operand[side];
    if (!one.is_reordered) continue;
    double* to = workspace.data() + one.workspace_begin;
    for_all(one.axes, [&](const auto& at) { to[at[0]] = memory[side][at[1]]; });
    memory[side] = to;
  }
  const MatrixForm::Operand& out = form.operand[of_result];
  double* to = out.is_reordered ? workspace.data() + out.workspace_begin : result.data();
  for (std::int64_t b = 0; b < form.batch; ++b)
    for (std::int64_t i = 0; i < form.m; ++i)
      for (std::int64_t j = 0; j < form.n; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k < form.k; ++k)
          sum += element(form.operand[of_left],
                         memory[of_left] + b * form.operand[of_left].batch_stride, i, k) *
                 element(form.operand[of_right],
                         memory[of_right] + b * form.operand[of_right].batch_stride, k, j);
        const std::int64_t place = form.is_swapped ? j + i * out.leading : i + j * out.leading;
        to[b * out.batch_stride + place] = sum;
      }
  if (out.is_reordered) for_all(out.axes, [&](const auto& at) { result[at[1]] = to[at[0]]; });
  return result;
}

MatrixForm expect_contraction(const Names& result, const Names& left, const Names& right,
                              std::array<bool, 3> conjugates = {}) {
  const blockyard_operation all = operation(result, left, right);
  Form form;
  const char* why = nullptr;
  EXPECT_EQ(analyse(all, form, &why), BLOCKYARD_OK);
  const Values x = counted(element_count(all.left), 1), y = counted(element_count(all.right), 2);
  Values expected(element_count(all.result), 0);
  Axes everything;
  for (const Axes* group : {&form.m, &form.n, &form.k, &form.batch})
    everything.insert(everything.end(), group->begin(), group->end());
  for_all(everything, [&](const auto& at) { expected[at[0]] += x[at[1]] * y[at[2]]; });
  MatrixForm found = matrix_form(form, conjugates);
  EXPECT_EQ(by_matrices(found, x, y, Values(expected.size(), -7)), expected);
  return found;
}

TEST(MatrixForm, TakesMatricesWhereTheyLie) {
  EXPECT_EQ(expect_contraction({0, 1}, {0, 2}, {2, 1}).workspace_elements, 0);
  EXPECT_EQ(expect_contraction({0, 1}, {2, 0}, {1, 2}).workspace_elements, 0);
  EXPECT_EQ(expect_contraction({1, 0}, {0, 2}, {2, 1}).workspace_elements, 0);
  EXPECT_EQ(expect_contraction({0, 1, 2, 3}, {0, 1, 4, 5}, {4, 5, 2, 3}).workspace_elements, 0);
  EXPECT_EQ(expect_contraction({0, 1, 2, 3}, {4, 5, 0, 1}, {2, 3, 4, 5}).workspace_elements, 0);
}

TEST(MatrixForm, TakesVectorsAndNumbersAndOuterProducts) {
  expect_contraction({0}, {0, 1}, {1});
  expect_contraction({0}, {1, 0}, {1});
  expect_contraction({1}, {0}, {0, 1});
  expect_contraction({}, {0, 1}, {0, 1});
  expect_contraction({0, 1}, {0}, {1});
  expect_contraction({1, 0}, {0}, {1});
}

TEST(MatrixForm, TakesABatchWhereItLies) {
  EXPECT_EQ(expect_contraction({0, 1, 6}, {0, 2, 6}, {2, 1, 6}).workspace_elements, 0);
  expect_contraction({6, 0, 1}, {0, 2, 6}, {2, 6, 1});
  expect_contraction({0, 6, 1, 7}, {7, 0, 2, 6}, {2, 7, 1, 6});
}

TEST(MatrixForm, ReordersAsFewElementsAsItCan) {
  // Both orders of k are possible: the smaller operand (names 4 and 5 with 1) gives way.
  const MatrixForm form = expect_contraction({0, 1, 2, 3}, {4, 1, 0, 5}, {2, 5, 3, 4});
  EXPECT_TRUE(form.operand[of_left].is_reordered || form.operand[of_right].is_reordered);
  const MatrixForm swapped = expect_contraction({0, 1, 2}, {0, 1, 4, 5}, {5, 4, 2});
  EXPECT_FALSE(swapped.operand[of_left].is_reordered);
  EXPECT_TRUE(swapped.operand[of_right].is_reordered);
}

TEST(MatrixForm, ReordersWhatIsToBeConjugatedUnlessItLiesTransposed) {
  EXPECT_TRUE(expect_contraction({0, 1}, {0, 2}, {2, 1}, {false, true, false})
                  .operand[of_left]
                  .is_reordered);
  EXPECT_FALSE(expect_contraction({0, 1}, {2, 0}, {2, 1}, {false, true, false})
                   .operand[of_left]
                   .is_reordered);
  // The transposed product of a transposed result turns both ways round.
  EXPECT_FALSE(expect_contraction({1, 0}, {0, 2}, {2, 1}, {false, true, false})
                   .operand[of_left]
                   .is_reordered);
  EXPECT_TRUE(expect_contraction({1, 0}, {2, 0}, {2, 1}, {false, true, false})
                  .operand[of_left]
                  .is_reordered);
}

}  // namespace
}  // namespace blockyard::plugin
