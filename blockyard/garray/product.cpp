// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <type_traits>

#include "blockyard/base/integer.h"
#include "blockyard/garray/lapack.h"
#include "blockyard/garray/matrix.h"

namespace blockyard::garray {

namespace {

using base::to_int;

void gemm(char ta, char tb, int m, int n, int k, const float* alpha, const float* a, int lda,
          const float* b, int ldb, const float* beta, float* c, int ldc) {
  sgemm_(&ta, &tb, &m, &n, &k, alpha, a, &lda, b, &ldb, beta, c, &ldc);
}
void gemm(char ta, char tb, int m, int n, int k, const double* alpha, const double* a, int lda,
          const double* b, int ldb, const double* beta, double* c, int ldc) {
  dgemm_(&ta, &tb, &m, &n, &k, alpha, a, &lda, b, &ldb, beta, c, &ldc);
}
void gemm(char ta, char tb, int m, int n, int k, const std::complex<float>* alpha,
          const std::complex<float>* a, int lda, const std::complex<float>* b, int ldb,
          const std::complex<float>* beta, std::complex<float>* c, int ldc) {
  cgemm_(&ta, &tb, &m, &n, &k, alpha, a, &lda, b, &ldb, beta, c, &ldc);
}
void gemm(char ta, char tb, int m, int n, int k, const std::complex<double>* alpha,
          const std::complex<double>* a, int lda, const std::complex<double>* b, int ldb,
          const std::complex<double>* beta, std::complex<double>* c, int ldc) {
  zgemm_(&ta, &tb, &m, &n, &k, alpha, a, &lda, b, &ldb, beta, c, &ldc);
}

/// A part of an operand as BLAS wants it: first axis dense.
template <class T>
struct Panel {
  const T* data = nullptr;
  int ld = 1;
  std::vector<T> copy = {};

  /// rows, columns: within the matrix, from its first element.
  Panel(const Runtime& runtime, const Matrix& matrix, Extent row, Extent rows, Extent column,
        Extent columns) {
    Box box = matrix.patch.box;
    box.first[matrix.row_axis] += row;
    box.end[matrix.row_axis] = box.first[matrix.row_axis] + rows;
    box.first[matrix.column_axis] += column;
    box.end[matrix.column_axis] = box.first[matrix.column_axis] + columns;
    const Array& array = matrix.patch.array;
    array.distribution.for_each_piece(box, [&](const Piece& piece) {
      const std::byte* base = array.bases[static_cast<std::size_t>(piece.rank)];
      if (piece.box != box || base == nullptr || piece.strides[matrix.row_axis] != 1) return;
      data = reinterpret_cast<const T*>(base) + piece.offset;
      ld = to_int(std::max<Extent>(1, piece.strides[matrix.column_axis]));
    });
    if (data != nullptr && ld >= std::max<Extent>(1, rows)) return;
    copy.resize(static_cast<std::size_t>(rows * columns));
    Indexes strides{};
    strides[matrix.row_axis] = 1;
    strides[matrix.column_axis] = rows;
    get(runtime, array, box, {copy.data(), strides});
    data = copy.data();
    ld = to_int(std::max<Extent>(1, rows));
  }
};

/// This rank's part of c: in a dense buffer, or in place.
template <class T>
struct Target {
  T* data = nullptr;
  int ld = 1;
  std::vector<T> copy = {};
};

template <class T>
void multiply_piece(const Runtime& runtime, const T& alpha, bool a_transposed, const Matrix& a,
                    bool b_transposed, const Matrix& b, const T& beta, const Matrix& c,
                    const Piece& piece, std::byte* data) {
  const Extent row = piece.box.first[c.row_axis] - c.patch.box.first[c.row_axis];
  const Extent column = piece.box.first[c.column_axis] - c.patch.box.first[c.column_axis];
  const Extent rows = piece.box.extent(c.row_axis), columns = piece.box.extent(c.column_axis);
  const Extent depth = a_transposed ? a.rows() : a.columns();
  Target<T> target;
  const bool is_in_place = piece.strides[c.row_axis] == 1 || rows == 1;
  if (is_in_place) {
    target.data = reinterpret_cast<T*>(data);
    target.ld = to_int(std::max({Extent{1}, rows, piece.strides[c.column_axis]}));
  } else {
    target.copy.resize(static_cast<std::size_t>(rows * columns));
    Indexes strides{};
    strides[c.row_axis] = 1, strides[c.column_axis] = rows;
    for_each_offset<2>(piece.box, {piece.strides, strides}, [&](const auto& at) {
      target.copy[static_cast<std::size_t>(at[1])] = reinterpret_cast<T*>(data)[at[0]];
    });
    target.data = target.copy.data();
    target.ld = to_int(std::max<Extent>(1, rows));
  }
  constexpr Extent panel = 512;
  const Extent panels = std::max<Extent>(1, (depth + panel - 1) / panel);
  // Each rank begins elsewhere, so that not all of them read the same owner at the same time.
  const Extent start = panels * piece.rank / std::max<int>(1, c.patch.array.distribution.ranks());
  T factor = beta;
  for (Extent p = 0; p < panels; ++p) {
    const Extent k = (start + p) % panels * panel;
    const Extent length = std::min(panel, depth - k);
    const Panel<T> left = a_transposed ? Panel<T>(runtime, a, k, length, row, rows)
                                       : Panel<T>(runtime, a, row, rows, k, length);
    const Panel<T> right = b_transposed ? Panel<T>(runtime, b, column, columns, k, length)
                                        : Panel<T>(runtime, b, k, length, column, columns);
    gemm(a_transposed ? 'T' : 'N', b_transposed ? 'T' : 'N', to_int(rows), to_int(columns),
         to_int(length), &alpha, left.data, left.ld, right.data, right.ld, &factor, target.data,
         target.ld);
    factor = T(1);
  }
  if (is_in_place) return;
  Indexes strides{};
  strides[c.row_axis] = 1, strides[c.column_axis] = rows;
  for_each_offset<2>(piece.box, {piece.strides, strides}, [&](const auto& at) {
    reinterpret_cast<T*>(data)[at[0]] = target.copy[static_cast<std::size_t>(at[1])];
  });
}

}  // namespace

void multiply(const Runtime& runtime, const void* alpha, bool a_transposed, const Matrix& a,
              bool b_transposed, const Matrix& b, const void* beta, const Matrix& c) {
  const Array& result = c.patch.array;
  require_same_kind(a.patch.array, result);
  require_same_kind(b.patch.array, result);
  const Extent m = a_transposed ? a.columns() : a.rows();
  const Extent k = a_transposed ? a.rows() : a.columns();
  const Extent kb = b_transposed ? b.columns() : b.rows();
  const Extent n = b_transposed ? b.rows() : b.columns();
  if (k != kb || m != c.rows() || n != c.columns())
    refuse(result, fmt::format("{} x {} times {} x {} does not give {} x {}", m, k, kb, n, c.rows(),
                               c.columns()));
  for (const Matrix* operand : {&a, &b})
    if (&operand->patch.array == &result &&
        !array::common(operand->patch.box, c.patch.box).is_empty())
      refuse(result, "is an operand and the result, and the patches overlap");
  fabric::with_type(element_of(result), [&](auto type) {
    using T = decltype(type);
    if constexpr (std::is_integral_v<T>) {
      refuse(result, "has integers, which no matrix product is for");
    } else {
      for_each_own(c.patch, [&](const Piece& piece, std::byte* data) {
        multiply_piece(runtime, *static_cast<const T*>(alpha), a_transposed, a, b_transposed, b,
                       *static_cast<const T*>(beta), c, piece, data);
      });
    }
  });
}

}  // namespace blockyard::garray
