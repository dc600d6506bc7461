// SPDX-License-Identifier: Apache-2.0
// Included only by kernels_<instruction set>.cpp, each of which sets vector_bytes before.
// Everything is in an unnamed namespace and calls no inline function from outside: otherwise the
// linker could keep one copy of such a function, compiled for a processor that is not there.
#pragma once

#include <utility>

#include "blockyard/tensor/detail/kernels.h"

namespace blockyard::tensor::detail {
namespace {

/// Complex numbers as pairs of reals, so that no std::complex function is called.
template <class T>
struct Parts {
  using Part = T;
  static constexpr int count = 1;
};
template <class R>
struct Parts<std::complex<R>> {
  using Part = R;
  static constexpr int count = 2;
};
template <class T>
using PartOf = typename Parts<T>::Part;

template <class T>
const PartOf<T>* parts(const T* x) {
  return reinterpret_cast<const PartOf<T>*>(x);  // allowed for std::complex
}
template <class T>
PartOf<T>* parts(T* x) {
  return reinterpret_cast<PartOf<T>*>(x);
}

template <class T>
void copy(Extent rows, Extent columns, const T* in, Extent in_ld, T* out, Extent out_ld) {
  if (rows == in_ld && rows == out_ld) {
    rows *= columns;
    columns = 1;
  }
  constexpr int count = Parts<T>::count;
  for (Extent j = 0; j < columns; ++j) {
    const PartOf<T>* x = parts(in + j * in_ld);
    PartOf<T>* y = parts(out + j * out_ld);
    if (rows * count >= 64) {
      __builtin_memcpy(y, x, static_cast<std::size_t>(rows) * sizeof(T));
      continue;
    }
#pragma GCC ivdep
    for (Extent i = 0; i < rows * count; ++i) y[i] = x[i];
  }
}

template <class R>
void axpby_real(Extent n, R alpha, const R* x, R beta, R* y) {
  if (beta == R(0)) {
#pragma GCC ivdep
    for (Extent i = 0; i < n; ++i) y[i] = alpha * x[i];
  } else if (beta == R(1)) {
#pragma GCC ivdep
    for (Extent i = 0; i < n; ++i) y[i] += alpha * x[i];
  } else {
#pragma GCC ivdep
    for (Extent i = 0; i < n; ++i) y[i] = alpha * x[i] + beta * y[i];
  }
}

template <class R>
void axpby_complex(Extent n, const R* alpha, const R* x, const R* beta, R* y) {
  const R ar = alpha[0], ai = alpha[1], br = beta[0], bi = beta[1];
  if (br == R(0) && bi == R(0)) {
#pragma GCC ivdep
    for (Extent i = 0; i < n; ++i) {
      const R xr = x[2 * i], xi = x[2 * i + 1];
      y[2 * i] = ar * xr - ai * xi;
      y[2 * i + 1] = ar * xi + ai * xr;
    }
    return;
  }
#pragma GCC ivdep
  for (Extent i = 0; i < n; ++i) {
    const R xr = x[2 * i], xi = x[2 * i + 1], yr = y[2 * i], yi = y[2 * i + 1];
    y[2 * i] = ar * xr - ai * xi + br * yr - bi * yi;
    y[2 * i + 1] = ar * xi + ai * xr + br * yi + bi * yr;
  }
}

template <class T>
void axpby(Extent rows, Extent columns, T alpha, const T* in, Extent in_ld, T beta, T* out,
           Extent out_ld) {
  if (rows == in_ld && rows == out_ld) {
    rows *= columns;
    columns = 1;
  }
  for (Extent j = 0; j < columns; ++j) {
    const PartOf<T>* x = parts(in + j * in_ld);
    PartOf<T>* y = parts(out + j * out_ld);
    if constexpr (Parts<T>::count == 1)
      axpby_real(rows, alpha, x, beta, y);
    else
      axpby_complex(rows, parts(&alpha), x, parts(&beta), y);
  }
}

/// `width` elements, each of `parts` numbers R, in one register.
template <class R, int parts, int width>
struct Register {
  using Vector [[gnu::vector_size(sizeof(R) * parts * width)]] = R;
};

/// Transposes width x width elements in registers, in log2(width) exchanges of blocks.
template <class R, int parts, int width>
struct Tile {
  using Vector = typename Register<R, parts, width>::Vector;
  using Lanes = std::make_integer_sequence<int, parts * width>;

  /// Lane of the pair (a, b) that goes to lane `to` of the first or second result.
  static constexpr int first(int to, int step) {
    const int element = to / parts;
    return (element & step) == 0 ? to : to - step * parts + width * parts;
  }
  static constexpr int second(int to, int step) {
    const int element = to / parts;
    return (element & step) == 0 ? to + step * parts : to + width * parts;
  }
  template <int step, int... lane>
  static void exchange(Vector& a, Vector& b, std::integer_sequence<int, lane...>) {
    const Vector low = __builtin_shufflevector(a, b, first(lane, step)...);
    b = __builtin_shufflevector(a, b, second(lane, step)...);
    a = low;
  }
  template <int step>
  static void exchange_all(Vector (&row)[width]) {
    if constexpr (step < width) {
#pragma GCC unroll 16
      for (int j = 0; j < width; ++j)
        if ((j & step) == 0) exchange<step>(row[j], row[j + step], Lanes{});
      exchange_all<2 * step>(row);
    }
  }
  static void transpose(const R* in, Extent in_ld, R* out, Extent out_ld) {
    Vector row[width];
#pragma GCC unroll 16
    for (int j = 0; j < width; ++j)
      __builtin_memcpy(&row[j], in + j * in_ld * parts, sizeof(Vector));
    exchange_all<1>(row);
#pragma GCC unroll 16
    for (int j = 0; j < width; ++j)
      __builtin_memcpy(out + j * out_ld * parts, &row[j], sizeof(Vector));
  }
};

template <class R, int parts>
struct Tile<R, parts, 1> {
  static void transpose(const R* in, Extent, R* out, Extent) {
    for (int p = 0; p < parts; ++p) out[p] = in[p];
  }
};

/// Tiles of `width`, then the two strips that are left with half the width.
template <class R, int parts, int width>
void transpose_panel(Extent rows, Extent columns, const R* in, Extent in_ld, R* out,
                     Extent out_ld) {
  const Extent whole_rows = rows / width * width;
  const Extent whole_columns = columns / width * width;
  for (Extent i = 0; i < whole_rows; i += width)
    for (Extent j = 0; j < whole_columns; j += width)
      Tile<R, parts, width>::transpose(in + (i + j * in_ld) * parts, in_ld,
                                       out + (j + i * out_ld) * parts, out_ld);
  if constexpr (width > 1) {
    if (whole_rows < rows)
      transpose_panel<R, parts, width / 2>(rows - whole_rows, columns, in + whole_rows * parts,
                                           in_ld, out + whole_rows * out_ld * parts, out_ld);
    if (whole_columns < columns)
      transpose_panel<R, parts, width / 2>(whole_rows, columns - whole_columns,
                                           in + whole_columns * in_ld * parts, in_ld,
                                           out + whole_columns * parts, out_ld);
  }
}

template <class T>
void transpose(Extent rows, Extent columns, const T* in, Extent in_ld, T* out, Extent out_ld) {
  constexpr int wide = vector_bytes / static_cast<int>(sizeof(T));
  constexpr int width = wide > 8 ? 8 : wide;  // 16 x 16 does not fit the registers
  constexpr Extent columns_at_once = 64;      // as many pages as a small TLB holds
  for (Extent j = 0; j < columns; j += columns_at_once) {
    const Extent some = columns - j < columns_at_once ? columns - j : columns_at_once;
    transpose_panel<PartOf<T>, Parts<T>::count, width>(rows, some, parts(in + j * in_ld), in_ld,
                                                       parts(out + j), out_ld);
  }
}

/// What the tiles of one small product share.
template <class R>
struct Product {
  Extent k;
  R alpha;
  const R* a;
  Extent lda;
  const R* b;
  Extent b_row;
  Extent b_column;
  R beta;
  R* c;
  Extent ldc;
};

/// `vectors` registers of rows x `columns` of c, kept in registers over the whole sum.
template <class R, int width, int vectors, int columns>
void gemm_tile(const Product<R>& of, Extent i, Extent j) {
  using Vector = typename Register<R, 1, width>::Vector;
  Vector sums[columns][vectors] = {};
  const R* a = of.a + i;
  const R* b = of.b + j * of.b_column;
  for (Extent l = 0; l < of.k; ++l, a += of.lda, b += of.b_row) {
    Vector x[vectors];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) __builtin_memcpy(&x[v], a + v * width, sizeof(Vector));
#pragma GCC unroll 8
    for (int q = 0; q < columns; ++q)
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) sums[q][v] += x[v] * b[q * of.b_column];
  }
#pragma GCC unroll 8
  for (int q = 0; q < columns; ++q) {
    R* c = of.c + i + (j + q) * of.ldc;
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      Vector y = sums[q][v] * of.alpha;
      if (of.beta != R(0)) {
        Vector old;
        __builtin_memcpy(&old, c + v * width, sizeof(Vector));
        y += old * of.beta;
      }
      __builtin_memcpy(c + v * width, &y, sizeof(Vector));
    }
  }
}

/// Rows from i to m in tiles, what is left in half the registers, then half the width.
template <class R, int width, int vectors, int columns>
void gemm_rows(const Product<R>& of, Extent i, Extent m, Extent j) {
  for (; i + width * vectors <= m; i += width * vectors)
    gemm_tile<R, width, vectors, columns>(of, i, j);
  if (i == m) return;
  if constexpr (vectors > 1)
    gemm_rows<R, width, vectors / 2, columns>(of, i, m, j);
  else if constexpr (width > 1)
    gemm_rows<R, width / 2, 1, columns>(of, i, m, j);
}

/// Columns from j to n in tiles, what is left in tiles of half as many.
template <class R, int columns>
void gemm_columns(const Product<R>& of, Extent m, Extent j, Extent n) {
  constexpr int width = vector_bytes / static_cast<int>(sizeof(R));
  for (; j + columns <= n; j += columns) gemm_rows<R, width, 2, columns>(of, 0, m, j);
  if constexpr (columns > 1)
    if (j < n) gemm_columns<R, columns / 2>(of, m, j, n);
}

template <class R>
void small_gemm_complex(Extent m, Extent n, Extent k, const R* alpha, const R* a, Extent lda,
                        const R* b, Extent b_row, Extent b_column, const R* beta, R* c,
                        Extent ldc) {
  const bool keeps = beta[0] != R(0) || beta[1] != R(0);
  for (Extent j = 0; j < n; ++j)
    for (Extent i = 0; i < m; ++i) {
      R re = 0, im = 0;
      for (Extent l = 0; l < k; ++l) {
        const R* x = a + 2 * (i + l * lda);
        const R* y = b + 2 * (l * b_row + j * b_column);
        re += x[0] * y[0] - x[1] * y[1];
        im += x[0] * y[1] + x[1] * y[0];
      }
      R* z = c + 2 * (i + j * ldc);
      const R old_re = keeps ? beta[0] * z[0] - beta[1] * z[1] : R(0);
      const R old_im = keeps ? beta[0] * z[1] + beta[1] * z[0] : R(0);
      z[0] = alpha[0] * re - alpha[1] * im + old_re;
      z[1] = alpha[0] * im + alpha[1] * re + old_im;
    }
}

/// 2 x 8 sums, 2 factors and more fit 32 registers, 2 x 4 fit 16.
constexpr int columns_in_registers = vector_bytes == 64 ? 8 : 4;

template <class T>
void small_gemm(Extent m, Extent n, Extent k, T alpha, const T* a, Extent lda, const T* b,
                Extent b_row, Extent b_column, T beta, T* c, Extent ldc) {
  if constexpr (Parts<T>::count == 1)
    gemm_columns<T, columns_in_registers>({k, alpha, a, lda, b, b_row, b_column, beta, c, ldc}, m,
                                          0, n);
  else
    small_gemm_complex(m, n, k, parts(&alpha), parts(a), lda, parts(b), b_row, b_column,
                       parts(&beta), parts(c), ldc);
}

/// Sums in `lanes` interleaved partial sums, so that the order does not depend on the processor.
constexpr int lanes = 16;

template <class R>
R add_lanes(const R* partial, int count, int step) {
  R total = 0;
  for (int j = 0; j < count; j += step) total += partial[j];
  return total;
}

template <class T>
T sum(Extent count, const T* values) {
  using R = PartOf<T>;
  const Extent n = count * Parts<T>::count;
  const R* x = parts(values);
  R partial[lanes] = {};
  Extent i = 0;
  for (; i + lanes <= n; i += lanes)
    for (int j = 0; j < lanes; ++j) partial[j] += x[i + j];
  for (int j = 0; i + j < n; ++j) partial[j] += x[i + j];
  T total;
  for (int p = 0; p < Parts<T>::count; ++p)
    parts(&total)[p] = add_lanes(partial + p, lanes - p, Parts<T>::count);
  return total;
}

template <class R>
R dot_real(Extent n, const R* x, const R* y) {
  R partial[lanes] = {};
  Extent i = 0;
  for (; i + lanes <= n; i += lanes)
    for (int j = 0; j < lanes; ++j) partial[j] += x[i + j] * y[i + j];
  for (int j = 0; i + j < n; ++j) partial[j] += x[i + j] * y[i + j];
  return add_lanes(partial, lanes, 1);
}

template <class T, bool conjugate>
T any_dot(Extent n, const T* x, const T* y) {
  using R = PartOf<T>;
  if constexpr (Parts<T>::count == 1) {
    return dot_real(n, x, y);
  } else {
    constexpr int pairs = lanes / 2;
    const R* u = parts(x);
    const R* v = parts(y);
    R re[pairs] = {}, im[pairs] = {};
    const R sign = conjugate ? R(-1) : R(1);
    for (Extent i = 0; i < n; i += pairs)
      for (int j = 0; j < pairs && i + j < n; ++j) {
        const Extent at = 2 * (i + j);
        re[j] += u[at] * v[at] - sign * u[at + 1] * v[at + 1];
        im[j] += u[at] * v[at + 1] + sign * u[at + 1] * v[at];
      }
    T total;
    parts(&total)[0] = add_lanes(re, pairs, 1);
    parts(&total)[1] = add_lanes(im, pairs, 1);
    return total;
  }
}

template <class T>
constexpr Kernels<T> table = {copy<T>,           axpby<T>,         transpose<T>, small_gemm<T>,
                              any_dot<T, false>, any_dot<T, true>, sum<T>};

}  // namespace
}  // namespace blockyard::tensor::detail
