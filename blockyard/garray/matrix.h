// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/garray/patch.h"

// Operations on arrays of two axes; (row, column) is (axis 0, axis 1). All: collective among the
// group of the result, with no sync of their own. They throw Error{bad_input} for arrays that do
// not fit.
namespace blockyard::garray {

/// b(j, i) = a(i, j)
void transpose(const Runtime& runtime, const Array& a, const Array& b);
/// a = (a + a^T) / 2; of more than two axes the two slowest are exchanged, for all values of the
/// others. Syncs in between.
void symmetrize(Runtime& runtime, const Array& a);

/// v(i) = a(i, i)
void copy_diagonal(const Runtime& runtime, const Array& a, const Array& v);
enum class OnDiagonal : std::uint8_t { set, add };
/// a(i, i) = v(i), or more by that
void change_diagonal(const Runtime& runtime, OnDiagonal how, const Array& a, const Array& v);
/// a(i, i) += value; null: a(i, i) = 0
void shift_diagonal(const Array& a, const void* value);

enum class Along : std::uint8_t { rows, columns };
/// a(i, j) *= v(i) or v(j)
void scale_along(const Runtime& runtime, Along along, const Array& a, const Array& v);
/// The largest sum of absolute values of a column (Along::columns) or a row;
/// NaN if one of them is.
[[nodiscard]] double norm(const Runtime& runtime, Along along, const Array& a);

/// A matrix within an array: a patch with two axes that count.
struct Matrix {
  Patch patch;
  std::size_t row_axis = 0, column_axis = 1;

  [[nodiscard]] Extent rows() const noexcept { return patch.box.extent(row_axis); }
  [[nodiscard]] Extent columns() const noexcept { return patch.box.extent(column_axis); }
};

/// How an operand of a product is read; the adjoint of a real matrix is its transpose.
enum class Op : std::uint8_t { as_is, transpose, adjoint };

/// c = alpha op(a) op(b) + beta c, also where there is nothing to sum up. Each rank makes its own
/// part of c from panels of a and b, used in place where a rank of the node holds them. Floating
/// point and complex numbers. c may share its array with an operand, but no element.
void multiply(const Runtime& runtime, const void* alpha, Op op_a, const Matrix& a, Op op_b,
              const Matrix& b, const void* beta, const Matrix& c);

/// Throws Error{bad_input} unless the array has two axes.
void require_matrix(const Array& a);
void require_square(const Array& a);

}  // namespace blockyard::garray
