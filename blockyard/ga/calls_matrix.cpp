// SPDX-License-Identifier: Apache-2.0
// Matrices of the C interface: products, diagonals, norms, solvers, eigenproblems.
#include <fmt/format.h>
#include <ga_calls.h>

#include <algorithm>

#include "blockyard/ga/convert.h"
#include "blockyard/ga/edge.h"
#include "blockyard/garray/matrix.h"
#include "blockyard/garray/solve.h"

namespace blockyard::ga::calls {

namespace {

using garray::Along;
using garray::Matrix;
using garray::OnDiagonal;
using garray::refuse;

Array& made(int handle) { return runtime().made_array(handle); }
garray::Op op_of(char flag) {
  if (flag == 'c' || flag == 'C') return garray::Op::adjoint;
  return flag == 't' || flag == 'T' ? garray::Op::transpose : garray::Op::as_is;
}
bool is_transposed(char flag) { return op_of(flag) != garray::Op::as_is; }

/// A matrix in a patch: the axes of extents other than 1, or the first ones of as many.
/// `is_swapped`: the ends are those of the transpose, as callers give them for an operand that is
/// to be transposed.
Matrix matrix_of(const Array& array, Ints lo, Ints hi, bool is_swapped, std::string_view lo_name,
                 std::string_view hi_name) {
  std::vector<std::size_t> axes;
  std::int64_t from[array::max_axes], to[array::max_axes];
  for (std::size_t d = 0; d < array.axes(); ++d) {
    const std::size_t axis = tongue().axis(d, array.axes());
    from[axis] = lo[axis], to[axis] = hi[axis];
    if (to[axis] != from[axis]) axes.push_back(d);
  }
  if (axes.size() > 2)
    refuse(array,
           fmt::format("has a patch with {} axes longer than 1; a matrix has 2", axes.size()));
  if (array.axes() < 2) refuse(array, "has 1 axis; a matrix product needs 2");
  for (std::size_t d = 0; axes.size() < 2; ++d)
    if (std::find(axes.begin(), axes.end(), d) == axes.end()) axes.push_back(d);
  std::sort(axes.begin(), axes.end());
  if (is_swapped) {
    const std::size_t i = tongue().axis(axes[0], array.axes());
    const std::size_t j = tongue().axis(axes[1], array.axes());
    std::swap(from[i], from[j]);
    std::swap(to[i], to[j]);
  }
  return {{array, operand_box_of(tongue(), array, from, to, lo_name, hi_name)}, axes[0], axes[1]};
}

/// In C's order of axes a product a b is one of transposed memory: b^T a^T in the model's.
void product(char ta, char tb, const void* alpha, const void* beta, const Matrix& a,
             const Matrix& b, const Matrix& c) {
  together(c.patch.array, [&] {
    if (tongue().is_fortran)
      garray::multiply(runtime(), alpha, op_of(ta), a, op_of(tb), b, beta, c);
    else
      garray::multiply(runtime(), alpha, op_of(tb), b, op_of(ta), a, beta, c);
  });
}

/// A patch with one axis longer than 1 is a row or a column: whichever makes the shapes of
/// c = op(a) op(b) fit, in the order of the model.
void turn_to_fit(bool a_transposed, Matrix& a, bool b_transposed, Matrix& b, Matrix& c) {
  Matrix* const all[] = {&a, &b, &c};
  const auto turn = [&](unsigned which) {
    for (unsigned k = 0; k < 3; ++k)
      if ((which >> k & 1U) != 0) std::swap(all[k]->row_axis, all[k]->column_axis);
  };
  const auto fits = [&] {
    const Extent a_rows = a_transposed ? a.columns() : a.rows();
    const Extent a_columns = a_transposed ? a.rows() : a.columns();
    const Extent b_rows = b_transposed ? b.columns() : b.rows();
    const Extent b_columns = b_transposed ? b.rows() : b.columns();
    return a_rows == c.rows() && a_columns == b_rows && b_columns == c.columns();
  };
  for (unsigned which = 0; which < 8; ++which) {
    bool may_turn = true;
    for (unsigned k = 0; k < 3; ++k)
      if ((which >> k & 1U) != 0 && all[k]->rows() > 1 && all[k]->columns() > 1) may_turn = false;
    if (!may_turn) continue;
    turn(which);
    if (fits()) return;
    turn(which);
  }
}

/// The first rows x columns elements, as the caller counts them; there may be none.
Matrix corner(int handle, Extent rows, Extent columns) {
  const Array& array = made(handle);
  if (array.axes() == 1) refuse(array, "has 1 axis; a matrix product needs 2");
  garray::require_matrix(array);
  Box box = array.whole();
  Extent &most_rows = box.end[tongue().is_fortran ? 0 : 1],
         &most_columns = box.end[tongue().is_fortran ? 1 : 0];
  if (rows < 0 || columns < 0 || rows > most_rows || columns > most_columns)
    refuse(array, fmt::format("has {} x {} elements, and {} x {} are asked for", most_rows,
                              most_columns, rows, columns));
  most_rows = rows;
  most_columns = columns;
  return {{array, box}};
}

template <class T>
void gemm(char ta, char tb, Extent m, Extent n, Extent k, T alpha, int g_a, int g_b, T beta,
          int g_c) {
  if (made(g_c).kind.element != fabric::element_of<T>())
    refuse(made(g_c), fmt::format("has elements of type {}: another product is for them",
                                  name_of(made(g_c).kind)));
  product(ta, tb, &alpha, &beta, is_transposed(ta) ? corner(g_a, k, m) : corner(g_a, m, k),
          is_transposed(tb) ? corner(g_b, n, k) : corner(g_b, k, n), corner(g_c, m, n));
}

}  // namespace

void sgemm(char ta, char tb, std::int64_t m, std::int64_t n, std::int64_t k, float alpha, int g_a,
           int g_b, float beta, int g_c) {
  gemm(ta, tb, m, n, k, alpha, g_a, g_b, beta, g_c);
}
void dgemm(char ta, char tb, std::int64_t m, std::int64_t n, std::int64_t k, double alpha, int g_a,
           int g_b, double beta, int g_c) {
  gemm(ta, tb, m, n, k, alpha, g_a, g_b, beta, g_c);
}
void cgemm(char ta, char tb, std::int64_t m, std::int64_t n, std::int64_t k, SingleComplex alpha,
           int g_a, int g_b, SingleComplex beta, int g_c) {
  gemm(ta, tb, m, n, k, alpha, g_a, g_b, beta, g_c);
}
void zgemm(char ta, char tb, std::int64_t m, std::int64_t n, std::int64_t k, DoubleComplex alpha,
           int g_a, int g_b, DoubleComplex beta, int g_c) {
  gemm(ta, tb, m, n, k, alpha, g_a, g_b, beta, g_c);
}

void matmul_patch(char transa, char transb, void* alpha, void* beta, int g_a, Ints alo, Ints ahi,
                  int g_b, Ints blo, Ints bhi, int g_c, Ints clo, Ints chi) {
  Matrix a = matrix_of(made(g_a), alo, ahi, is_transposed(transa), "alo", "ahi");
  Matrix b = matrix_of(made(g_b), blo, bhi, is_transposed(transb), "blo", "bhi");
  Matrix c = matrix_of(made(g_c), clo, chi, false, "clo", "chi");
  if (tongue().is_fortran)
    turn_to_fit(is_transposed(transa), a, is_transposed(transb), b, c);
  else
    turn_to_fit(is_transposed(transb), b, is_transposed(transa), a, c);
  product(transa, transb, alpha, beta, a, b, c);
}

/// The ends of operands as they lie, also of those that are to be transposed.
void matmul_patch_alt(char transa, char transb, void* alpha, void* beta, int g_a, Ints alo,
                      Ints ahi, int g_b, Ints blo, Ints bhi, int g_c, Ints clo, Ints chi) {
  product(transa, transb, alpha, beta, matrix_of(made(g_a), alo, ahi, false, "alo", "ahi"),
          matrix_of(made(g_b), blo, bhi, false, "blo", "bhi"),
          matrix_of(made(g_c), clo, chi, false, "clo", "chi"));
}

void matmul_patch_2d(char transa, char transb, void* alpha, void* beta, int g_a, std::int64_t ailo,
                     std::int64_t aihi, std::int64_t ajlo, std::int64_t ajhi, int g_b,
                     std::int64_t bilo, std::int64_t bihi, std::int64_t bjlo, std::int64_t bjhi,
                     int g_c, std::int64_t cilo, std::int64_t cihi, std::int64_t cjlo,
                     std::int64_t cjhi) {
  std::int64_t alo[] = {ailo, ajlo}, ahi[] = {aihi, ajhi};
  std::int64_t blo[] = {bilo, bjlo}, bhi[] = {bihi, bjhi};
  std::int64_t clo[] = {cilo, cjlo}, chi[] = {cihi, cjhi};
  for (const int g : {g_a, g_b, g_c}) garray::require_matrix(made(g));
  matmul_patch(transa, transb, alpha, beta, g_a, alo, ahi, g_b, blo, bhi, g_c, clo, chi);
}

void transpose(int g_a, int g_b) {
  together(made(g_b), [&] { garray::transpose(runtime(), made(g_a), made(g_b)); });
}
void symmetrize(int g_a) {
  together(made(g_a), [&] { garray::symmetrize(runtime(), made(g_a)); });
}
void get_diag(int g_a, int g_v) {
  together(made(g_a), [&] { garray::copy_diagonal(runtime(), made(g_a), made(g_v)); });
}
void set_diagonal(int g_a, int g_v) {
  together(made(g_a),
           [&] { garray::change_diagonal(runtime(), OnDiagonal::set, made(g_a), made(g_v)); });
}
void add_diagonal(int g_a, int g_v) {
  together(made(g_a),
           [&] { garray::change_diagonal(runtime(), OnDiagonal::add, made(g_a), made(g_v)); });
}
void shift_diagonal(int g_a, void* c) {
  together(made(g_a), [&] { garray::shift_diagonal(made(g_a), c); });
}
void zero_diagonal(int g_a) {
  together(made(g_a), [&] { garray::shift_diagonal(made(g_a), nullptr); });
}
namespace {

void scale_along(Along along, int g_a, int g_v) {
  together(made(g_a), [&] { garray::scale_along(runtime(), along, made(g_a), made(g_v)); });
}

}  // namespace

// C's rows are the model's columns.
void scale_rows(int g_a, int g_v) {
  scale_along(tongue().is_fortran ? Along::rows : Along::columns, g_a, g_v);
}
void scale_cols(int g_a, int g_v) {
  scale_along(tongue().is_fortran ? Along::columns : Along::rows, g_a, g_v);
}
void norm1(int g_a, double* nm) {
  *nm = together(made(g_a), [&] { return garray::norm(runtime(), Along::columns, made(g_a)); });
}
void norm_infinity(int g_a, double* nm) {
  *nm = together(made(g_a), [&] { return garray::norm(runtime(), Along::rows, made(g_a)); });
}

void lu_solve(char tran, int g_a, int g_b) {
  together(made(g_a),
           [&] { garray::solve_lu(runtime(), is_transposed(tran), made(g_a), made(g_b)); });
}
int llt_solve(int g_a, int g_b) {
  return together(made(g_a),
                  [&] { return garray::solve_cholesky(runtime(), made(g_a), made(g_b)); });
}
int solve(int g_a, int g_b) {
  return together(made(g_a), [&] {
    const int minor = garray::solve_cholesky(runtime(), made(g_a), made(g_b));
    if (minor != 0) garray::solve_lu(runtime(), false, made(g_a), made(g_b));
    return minor;
  });
}
int spd_invert(int g_a) {
  return together(made(g_a), [&] { return garray::invert(runtime(), made(g_a)); });
}

namespace {

using garray::Solver;

void diagonalize(int g_a, const Array* s, int g_v, void* eval, Solver solver = Solver::any) {
  together(made(g_a), [&] {
    garray::diagonalize(runtime(), made(g_a), s, made(g_v), static_cast<double*>(eval), solver);
  });
}

}  // namespace

void diag(int g_a, int g_s, int g_v, void* eval) { diagonalize(g_a, &made(g_s), g_v, eval); }
void diag_reuse(int /*reuse*/, int g_a, int g_s, int g_v, void* eval) {
  diagonalize(g_a, &made(g_s), g_v, eval);
}
void diag_seq(int g_a, int g_s, int g_v, void* eval) {
  diagonalize(g_a, &made(g_s), g_v, eval, Solver::lapack);
}
void diag_std(int g_a, int g_v, void* eval) { diagonalize(g_a, nullptr, g_v, eval); }
void diag_std_seq(int g_a, int g_v, void* eval) {
  diagonalize(g_a, nullptr, g_v, eval, Solver::lapack);
}

}  // namespace blockyard::ga::calls
