// SPDX-License-Identifier: Apache-2.0
// Triangles solved and matrices factored, a block at a time; kernels.cl multiplies what is beside
// the blocks. After element.cl. An element (i, j) of a matrix lies at
// i * rows + j * columns from where the matrix begins, so that a transposed one is one whose steps
// are exchanged.

#if COMPLEX
#define NORM(p) ((p).x * (p).x + (p).y * (p).y)
#define SIZE(p) (fabs((p).x) + fabs((p).y))
#define REAL(p) ((p).x)
#define FROM_REAL(x) ((T)((x), 0))
/// By the larger part of the divisor, so that its square does not overflow.
T over(T a, T b) {
  if (fabs(b.x) >= fabs(b.y)) {
    const R ratio = b.y / b.x, whole = b.x + b.y * ratio;
    return (T)((a.x + a.y * ratio) / whole, (a.y - a.x * ratio) / whole);
  }
  const R ratio = b.x / b.y, whole = b.x * ratio + b.y;
  return (T)((a.x * ratio + a.y) / whole, (a.y * ratio - a.x) / whole);
}
#else
#define NORM(x) ((x) * (x))
#define SIZE(x) fabs(x)
#define REAL(x) (x)
#define FROM_REAL(x) ((T)(x))
#define over(a, b) ((a) / (b))
#endif

/// b = alpha b, one work item for each column of a matrix.
__kernel void scale(__global T *b, long b_at, long rows, long columns, long m, T alpha) {
  b += b_at + (long)get_global_id(0) * columns;
  for (long i = 0; i < m; ++i) b[i * rows] = TIMES(alpha, b[i * rows]);
}

/// t x = b for a block of n unknowns, in place of b: one work item for each right side, `next`
/// apart; unknowns are `step` apart.
__kernel void solve_block(__global const T *t, long t_at, long rows, long columns, int is_lower,
                          int conjugate, int is_unit, __global T *b, long b_at, long step,
                          long next, long n) {
  t += t_at;
  b += b_at + (long)get_global_id(0) * next;
  for (long count = 0; count < n; ++count) {
    const long i = is_lower ? count : n - 1 - count;
    const long from = is_lower ? 0 : i + 1, to = is_lower ? i : n;
    T sum = b[i * step];
    for (long k = from; k < to; ++k)
      sum -= TIMES(CONJUGATE(t[i * rows + k * columns], conjugate), b[k * step]);
    b[i * step] = is_unit ? sum : over(sum, CONJUGATE(t[i * rows + i * columns], conjugate));
  }
}

/// The lower triangle of a block, less what the columns before it come to: one work item a row.
__kernel void update_triangle(__global T *a, long a_at, long rows, long columns, long before) {
  const long i = get_global_id(0);
  __global const T *mine = a + a_at + i * rows;
  for (long j = 0; j <= i; ++j) {
    __global const T *other = a + a_at + j * rows;
    T sum = a[a_at + i * rows + (before + j) * columns];
    for (long k = 0; k < before; ++k)
      sum -= TIMES(mine[k * columns], CONJUGATE(other[k * columns], 1));
    a[a_at + i * rows + (before + j) * columns] = sum;
  }
}

/// Cholesky's factor of the lower triangle of a block of n, which begins at row and column `first`
/// of its matrix. Nothing, once info is not zero.
__kernel void factor_triangle(__global T *a, long a_at, long rows, long columns, long n, long first,
                              __global T *info, long info_at) {
  a += a_at;
  if (!IS_ZERO(info[info_at])) return;
  for (long j = 0; j < n; ++j) {
    R left = REAL(a[j * rows + j * columns]);
    for (long k = 0; k < j; ++k) left -= NORM(a[j * rows + k * columns]);
    if (!(left > 0)) {
      info[info_at] = FROM_REAL((R)(first + j + 1));
      return;
    }
    left = sqrt(left);
    a[j * rows + j * columns] = FROM_REAL(left);
    for (long i = j + 1; i < n; ++i) {
      T sum = a[i * rows + j * columns];
      for (long k = 0; k < j; ++k)
        sum -= TIMES(a[i * rows + k * columns], CONJUGATE(a[j * rows + k * columns], 1));
      a[i * rows + j * columns] = sum / left;
    }
  }
}

/// LU with row exchanges of a panel of m rows and n columns, as LAPACK's getf2; it begins at row
/// and column `first` of its matrix, whose numbers go to `beside`, info at `info_at`.
__kernel void factor_panel(__global T *a, long a_at, long leading, long m, long n, long first,
                           __global T *beside, long beside_at, long info_at) {
  a += a_at;
  for (long j = 0; j < n && j < m; ++j) {
    long pivot = j;
    for (long i = j + 1; i < m; ++i)
      if (SIZE(a[i + j * leading]) > SIZE(a[pivot + j * leading])) pivot = i;
    beside[beside_at + first + j] = FROM_REAL((R)(first + pivot + 1));
    const T value = a[pivot + j * leading];
    if (IS_ZERO(value)) {
      if (IS_ZERO(beside[info_at])) beside[info_at] = FROM_REAL((R)(first + j + 1));
      continue;
    }
    if (pivot != j)
      for (long k = 0; k < n; ++k) {
        const T other = a[j + k * leading];
        a[j + k * leading] = a[pivot + k * leading];
        a[pivot + k * leading] = other;
      }
    for (long i = j + 1; i < m; ++i) a[i + j * leading] = over(a[i + j * leading], value);
    for (long k = j + 1; k < n; ++k) {
      const T factor = a[j + k * leading];
      for (long i = j + 1; i < m; ++i)
        a[i + k * leading] -= TIMES(a[i + j * leading], factor);
    }
  }
}

/// The exchanges of a panel in other columns, one work item for each. The rows come back from memory
/// that another stream may write to: a row that the matrix does not have is none.
__kernel void exchange_rows(__global T *a, long a_at, long leading, long first, long count,
                            __global const T *beside, long beside_at) {
  a += a_at + (long)get_global_id(0) * leading;
  for (long i = first; i < first + count; ++i) {
    const long pivot = (long)REAL(beside[beside_at + i]) - 1;
    if (pivot < i || pivot >= leading) continue;
    const T other = a[i];
    a[i] = a[pivot];
    a[pivot] = other;
  }
}
