// SPDX-License-Identifier: Apache-2.0
// Sparse matrices.
#include <fmt/format.h>
#include <ga_calls.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "blockyard/ga/create.h"
#include "blockyard/ga/sparse_handles.h"
#include "blockyard/garray/elementwise.h"

namespace blockyard::ga::calls {

namespace {

using garray::refuse;
using garray::Sparse;

Array& made(int handle) { return runtime().made_array(handle); }

/// The axis that counts rows.
std::size_t row_axis() { return tongue().is_fortran ? 0 : 1; }

template <class Work>
auto together_on(const Sparse& matrix, const Work& work) {
  return runtime().collective(matrix.group(), Met().meeting(), work);
}

int keep(const garray::Kind& kind, Extent rows, Extent columns, int group) {
  return edge_of_sparse().keep(std::make_unique<Sparse>(runtime(), kind, rows, columns, group));
}

int dense_zeros(const garray::Kind& kind, int group, const std::vector<Extent>& extents,
                const char* name) {
  Array& array = runtime().new_array();
  array.name = name;
  array.kind = kind;
  array.extents = extents;
  array.group = group;
  const int handle = array.handle;
  if (make_memory(array) == 0) return 0;
  together(array, [&] { garray::zero(garray::whole(array)); });
  return handle;
}
/// Like the matrix's elements.
int dense_zeros(const Sparse& like, const std::vector<Extent>& extents, const char* name) {
  return dense_zeros(like.kind(), like.group(), extents, name);
}

std::vector<Extent> matrix_extents(Extent rows, Extent columns) {
  return row_axis() == 0 ? std::vector{rows, columns} : std::vector{columns, rows};
}

void write_range(Ints lo, Ints hi, Extent first, Extent end) {
  lo.set(0, first + tongue().first());
  hi.set(0, end + tongue().first() - 1);
}

/// A list that the caller frees.
void copy_list(IntLists to, const std::vector<std::int64_t>& from) {
  const auto allocated = [&]<class T>(T*& list) {
    list = static_cast<T*>(std::malloc(std::max<std::size_t>(1, from.size()) * sizeof(T)));
    if (list == nullptr) throw std::bad_alloc();
    for (std::size_t i = 0; i < from.size(); ++i) list[i] = static_cast<T>(from[i]);
  };
  if (to.is_wide())
    allocated(*to.wide());
  else
    allocated(*to.narrow());
}

void set_null(IntLists lists) {
  if (lists.is_wide())
    *lists.wide() = nullptr;
  else
    *lists.narrow() = nullptr;
}

}  // namespace

int sprs_array_create(std::int64_t idim, std::int64_t jdim, int type) {
  const auto kind = runtime().kind(type, tongue().integer_bytes);
  if (!kind) refuse(fmt::format("type = {} is not a type of elements", type));
  return keep(*kind, idim, jdim, runtime().default_group());
}
void sprs_array_add_element(int s_a, std::int64_t i, std::int64_t j, void* v) {
  sparse(s_a).add(i - tongue().first(), j - tongue().first(), v);
}
int sprs_array_assemble(int s_a) {
  together_on(sparse(s_a), [&] { sparse(s_a).assemble(); });
  return 1;
}
int sprs_array_destroy(int s_a) {
  sparse(s_a).release();
  edge_of_sparse().forget(s_a);
  return 1;
}

void sprs_array_row_distribution(int s_a, int p, Ints lo, Ints hi) {
  const Sparse& matrix = sparse(s_a, p);
  write_range(lo, hi, matrix.first_row(p), matrix.first_row(p + 1));
}
void sprs_array_column_distribution(int s_a, int p, Ints lo, Ints hi) {
  const Sparse& matrix = sparse(s_a, p);
  write_range(lo, hi, matrix.first_column(p), matrix.first_column(p + 1));
}
void sprs_array_col_block_list(int s_a, int** idx, int* n) {
  const Sparse& matrix = assembled(s_a);
  std::vector<std::int64_t> cuts;
  for (int cut = 0; cut < matrix.members(); ++cut)
    if (!matrix.own(cut).is_empty()) cuts.push_back(cut);
  copy_list(idx, cuts);
  *n = static_cast<int>(cuts.size());
}
void sprs_array_access_col_block(int s_a, int icol, IntLists i, IntLists j, void** v) {
  assembled(s_a, icol);
  edge_of_sparse().access(s_a, icol, i, j, v);
}
int sprs_array_get_block(int s_a, std::int64_t irow, std::int64_t icol, IntLists i, IntLists j,
                         void** v, Ints ilo, Ints ihi, Ints jlo, Ints jhi) {
  const int row = base::to_int(irow), column = base::to_int(icol);
  const Sparse& matrix = assembled(s_a, row);
  static_cast<void>(assembled(s_a, column));
  write_range(ilo, ihi, matrix.first_row(row), matrix.first_row(row + 1));
  write_range(jlo, jhi, matrix.first_column(column), matrix.first_column(column + 1));
  const Sparse::Block block = matrix.block(row, column);
  *v = nullptr;
  if (block.is_empty()) {
    set_null(i);
    set_null(j);
    return 0;
  }
  if (!i.is_wide() || !j.is_wide()) require_narrow(block);
  copy_list(i, block.offsets);
  copy_list(j, block.columns);
  const std::size_t bytes = block.columns.size() * matrix.kind().bytes;
  *v = std::malloc(bytes);
  if (*v == nullptr) throw std::bad_alloc();
  std::memcpy(*v, block.values(), bytes);
  return 1;
}

int sprs_array_create_from_dense(int g_a) {
  const Array& array = made(g_a);
  if (array.axes() != 2) refuse(array, fmt::format("has {} axes; a matrix has 2", array.axes()));
  const int handle =
      keep(array.kind, array.extents[row_axis()], array.extents[1 - row_axis()], array.group);
  together(array, [&] { garray::copy_nonzero(runtime(), array, row_axis(), sparse(handle)); });
  return handle;
}
int sprs_array_duplicate(int s_a) {
  const Sparse& from = assembled(s_a);
  const int handle = keep(from.kind(), from.rows(), from.columns(), from.group());
  together_on(from, [&] {
    std::vector<Sparse::Entry> entries;
    std::vector<std::byte> values;
    from.for_each_own([&](Extent row, Extent column, const std::byte* value) {
      entries.push_back({row, column});
      values.insert(values.end(), value, value + from.kind().bytes);
    });
    sparse(handle).assign(std::move(entries), std::move(values));
  });
  return handle;
}
int sprs_array_create_from_sparse(int s_a) { return sprs_array_duplicate(s_a); }

int sprs_array_get_column(int s_a, std::int64_t j) {
  const Sparse& matrix = assembled(s_a);
  const int handle = dense_zeros(matrix, {matrix.rows()}, "column of a sparse matrix");
  if (handle == 0) return 0;
  together(made(handle),
           [&] { garray::copy_column(runtime(), matrix, j - tongue().first(), made(handle)); });
  return handle;
}
void sprs_array_get_diag(int s_a, int* g_d) {
  const Sparse& matrix = assembled(s_a);
  *g_d = dense_zeros(matrix, {matrix.rows()}, "diagonal of a sparse matrix");
  if (*g_d == 0) return;
  together(made(*g_d), [&] { garray::copy_diagonal(runtime(), matrix, made(*g_d)); });
}
void sprs_array_shift_diag(int s_a, void* c) {
  Sparse& matrix = assembled(s_a);
  together_on(matrix, [&] { garray::shift_diagonal(matrix, c); });
}
void sprs_array_scale(int s_a, void* c) {
  Sparse& matrix = assembled(s_a);
  together_on(matrix, [&] { garray::scale(runtime(), matrix, c); });
}
void sprs_array_diag_left_multiply(int s_a, int g_d) {
  Sparse& matrix = assembled(s_a);
  together(made(g_d), [&] { garray::scale_rows(runtime(), matrix, made(g_d)); });
}
void sprs_array_diag_right_multiply(int s_a, int g_d) {
  Sparse& matrix = assembled(s_a);
  together(made(g_d), [&] { garray::scale_columns(runtime(), matrix, made(g_d)); });
}

void sprs_array_matvec_multiply(int s_a, int g_x, int g_y) {
  const Sparse& matrix = assembled(s_a);
  together(made(g_y), [&] { garray::multiply(runtime(), matrix, made(g_x), made(g_y)); });
}
int sprs_array_matmat_multiply(int s_a, int s_b) {
  const Sparse &a = assembled(s_a), &b = assembled(s_b);
  const int handle = keep(a.kind(), a.rows(), b.columns(), a.group());
  together_on(a, [&] { garray::multiply(runtime(), a, b, sparse(handle)); });
  return handle;
}
int sprs_array_sprsdns_multiply(int s_a, int g_b) {
  const Sparse& a = assembled(s_a);
  const Array& b = made(g_b);
  if (b.axes() != 2) refuse(b, fmt::format("has {} axes; a matrix has 2", b.axes()));
  const int handle =
      dense_zeros(a, matrix_extents(a.rows(), b.extents[1 - row_axis()]), "sparse times dense");
  if (handle == 0) return 0;
  together(b, [&] { garray::multiply(runtime(), a, b, made(handle), row_axis()); });
  return handle;
}
int sprs_array_dnssprs_multiply(int g_a, int s_b) {
  const Sparse& b = assembled(s_b);
  const Array& a = made(g_a);
  if (a.axes() != 2) refuse(a, fmt::format("has {} axes; a matrix has 2", a.axes()));
  const int handle =
      dense_zeros(b, matrix_extents(a.extents[row_axis()], b.columns()), "dense times sparse");
  if (handle == 0) return 0;
  together(a, [&] { garray::multiply(runtime(), a, b, made(handle), row_axis()); });
  return handle;
}
int sprs_array_count_sketch(int s_a, int size_k, int* g_k, int* g_w) {
  const Sparse& a = assembled(s_a);
  if (size_k < 1) garray::refuse(fmt::format("size_k = {} is less than 1", size_k));
  const auto places = runtime().kind(C_INT, tongue().integer_bytes);
  *g_k = dense_zeros(*places, a.group(), {a.rows()}, "rows of a sketch");
  *g_w = dense_zeros(a, {a.rows()}, "signs of a sketch");
  const int handle = dense_zeros(a, matrix_extents(size_k, a.columns()), "sketch");
  if (*g_k == 0 || *g_w == 0 || handle == 0) return 0;
  together(made(handle), [&] {
    garray::count_sketch(runtime(), a, made(*g_k), made(*g_w), made(handle), row_axis());
  });
  return handle;
}
void sprs_array_export(int s_a, const char* file) {
  const Sparse& matrix = assembled(s_a);
  together_on(matrix, [&] { garray::write_matrix_market(runtime(), matrix, file); });
}

}  // namespace blockyard::ga::calls
