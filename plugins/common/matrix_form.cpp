// SPDX-License-Identifier: Apache-2.0
#include "plugins/common/matrix_form.h"

#include <algorithm>
#include <optional>

namespace blockyard::plugin {
namespace {

/// Axes one after the other as one stride of an operand; nothing if they do not lie so.
/// Of no axes at all: stride 0.
std::optional<std::int64_t> joint_stride(const Axes& axes, std::size_t side) {
  if (axes.empty()) return 0;
  std::int64_t next = axes.front().stride[side];
  for (const Axis& axis : axes) {
    if (axis.stride[side] != next) return std::nullopt;
    next *= axis.extent;
  }
  return axes.front().stride[side];
}

/// Which ways a matrix may lie.
struct Allowed {
  bool straight = true;
  bool transposed = true;
};

/// The operand as a matrix where it lies, or reordered.
MatrixForm::Operand describe(const Axes& rows, const Axes& columns, const Axes& batch,
                             std::size_t side, Allowed allowed) {
  MatrixForm::Operand operand;
  const std::int64_t row_count = extent_of(rows), column_count = extent_of(columns);
  operand.element_count = row_count * column_count * extent_of(batch);
  const auto row = joint_stride(rows, side), column = joint_stride(columns, side);
  const auto next = joint_stride(batch, side);
  if (row && column && next) {
    operand.batch_stride = *next;
    // A matrix of one row or column lies both ways.
    if (*row <= 1 && (*column >= row_count || *column == 0) && allowed.straight) {
      operand.leading = std::max(*column, row_count);
      return operand;
    }
    if (*column <= 1 && (*row >= column_count || *row == 0) && allowed.transposed) {
      operand.is_transposed = true;
      operand.leading = std::max(*row, column_count);
      return operand;
    }
  }
  operand.is_reordered = true;
  operand.leading = row_count;
  operand.batch_stride = row_count * column_count;
  std::int64_t stride = 1;
  for (const Axes* group : {&rows, &columns, &batch})
    for (const Axis& axis : *group) {
      operand.axes.push_back({axis.extent, {stride, axis.stride[side], 0}});
      stride *= axis.extent;
    }
  return operand;
}

Axes ordered_by(Axes axes, std::size_t side) {
  std::ranges::sort(axes, {}, [side](const Axis& axis) { return axis.stride[side]; });
  return axes;
}

}  // namespace

MatrixForm matrix_form(const Form& form, std::array<bool, 3> conjugates) {
  MatrixForm best;
  std::int64_t least = -1;
  for (int choice = 0; choice < 8; ++choice) {
    const Axes m = ordered_by(form.m, (choice & 1) != 0 ? of_left : of_result);
    const Axes n = ordered_by(form.n, (choice & 2) != 0 ? of_right : of_result);
    const Axes k = ordered_by(form.k, (choice & 4) != 0 ? of_right : of_left);
    MatrixForm one;
    one.m = extent_of(m);
    one.n = extent_of(n);
    one.k = extent_of(k);
    one.batch = extent_of(form.batch);
    one.operand[of_result] = describe(m, n, form.batch, of_result, {});
    one.is_swapped = one.operand[of_result].is_transposed;
    // A product conjugates only what it also transposes.
    const auto allowed = [&](std::size_t side) -> Allowed {
      return conjugates[side] ? Allowed{one.is_swapped, !one.is_swapped} : Allowed{};
    };
    one.operand[of_left] = describe(m, k, form.batch, of_left, allowed(of_left));
    one.operand[of_right] = describe(k, n, form.batch, of_right, allowed(of_right));
    for (MatrixForm::Operand& operand : one.operand)
      if (operand.is_reordered) {
        operand.workspace_begin = one.workspace_elements;
        one.workspace_elements += operand.element_count;
      }
    if (least >= 0 && one.workspace_elements >= least) continue;
    least = one.workspace_elements;
    best = std::move(one);
  }
  return best;
}

}  // namespace blockyard::plugin
