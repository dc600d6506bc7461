// SPDX-License-Identifier: Apache-2.0
// The kernels of one element type, after element.cl. The host defines, when it builds them:
//   R        real type             W   lanes of a vector of R (1 for complex elements)
//   COMPLEX  0 or 1                V   vector of W times R, loaded with VLOAD, stored with VSTORE
//   NR       columns of a register tile; its rows are MR = 2 W
// An operation comes as `form`: four groups of axes (m, n, k, batch). A group is a count and eight
// times extent, stride in result, left, right.

#define ZERO ((T)(0))

enum { group_longs = 33, group_m = 0, group_n = 33, group_k = 66, group_batch = 99 };
enum { of_result = 1, of_left = 2, of_right = 3 };

inline long offset_in(__constant const long *group, long position, int side) {
  long offset = 0;
  for (long axis = 0; axis < group[0]; ++axis) {
    const long extent = group[1 + 4 * axis];
    offset += position % extent * group[1 + 4 * axis + side];
    position /= extent;
  }
  return offset;
}

inline void give(__global T *result, T sum, T alpha, T beta) {
  *result = IS_ZERO(beta) ? SCALED(alpha, sum) : SCALED(alpha, sum) + SCALED(beta, *result);
}

// result = alpha left + beta result, over tiles: `rows` of the axis that is fastest in result times
// `columns` of the axis at `fast`, that is fastest in left. Without such an axis fast is 0 and
// columns is 1. One work item per tile; the tiles of the other axes follow in id 2.
__kernel void permute(__constant const long *form, __global const T *left, long left_at,
                      __global T *result, long result_at, long fast, long rows, long columns,
                      int conjugate, T alpha, T beta) {
  const long row_extent = form[0] > 0 ? form[1] : 1, row_stride = form[0] > 0 ? form[2] : 0;
  const long row_left = form[0] > 0 ? form[3] : 0;
  const long column_extent = fast > 0 ? form[1 + 4 * fast] : 1;
  const long column_stride = fast > 0 ? form[2 + 4 * fast] : 0;
  const long column_left = fast > 0 ? form[3 + 4 * fast] : 0;
  const long row = get_global_id(0) * rows, column = get_global_id(1) * columns;
  long rest = get_global_id(2);
  left += left_at + row * row_left + column * column_left;
  result += result_at + row * row_stride + column * column_stride;
  for (long axis = 1; axis < form[0]; ++axis) {
    if (axis == fast) continue;
    const long extent = form[1 + 4 * axis];
    result += rest % extent * form[2 + 4 * axis];
    left += rest % extent * form[3 + 4 * axis];
    rest /= extent;
  }
  const long row_count = min(rows, row_extent - row);
  const long column_count = min(columns, column_extent - column);
  for (long c = 0; c < column_count; ++c)
    for (long r = 0; r < row_count; ++r)
      give(result + r * row_stride + c * column_stride,
           CONJUGATE(left[r * row_left + c * column_left], conjugate), alpha, beta);
}

// Contraction without preparation: one work item per element of the result.
__kernel void contract_plain(__constant const long *form, __global const T *left, long left_at,
                             __global const T *right, long right_at, __global T *result,
                             long result_at, long depth, int conjugate, T alpha, T beta) {
  const long i = get_global_id(0), j = get_global_id(1), b = get_global_id(2);
  left += left_at + offset_in(form + group_m, i, of_left) + offset_in(form + group_batch, b, of_left);
  right += right_at + offset_in(form + group_n, j, of_right) +
           offset_in(form + group_batch, b, of_right);
  result += result_at + offset_in(form + group_m, i, of_result) +
            offset_in(form + group_n, j, of_result) + offset_in(form + group_batch, b, of_result);
  T sum = ZERO;
  for (long k = 0; k < depth; ++k) {
    const T x = left[offset_in(form + group_k, k, of_left)];
    const T y = right[offset_in(form + group_k, k, of_right)];
    sum += TIMES(CONJUGATE(x, conjugate & 1), CONJUGATE(y, conjugate & 2));
  }
  give(result, sum, alpha, beta);
}

// One work group.
__kernel void dot_all(__global const T *left, long left_at, __global const T *right, long right_at,
                      __global T *result, long result_at, long count, int conjugate, T alpha, T beta,
                      __local T *sums) {
  const long item = get_local_id(0), items = get_local_size(0);
  T sum = ZERO;
  for (long k = item; k < count; k += items)
    sum += TIMES(CONJUGATE(left[left_at + k], conjugate & 1),
                 CONJUGATE(right[right_at + k], conjugate & 2));
  sums[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item != 0) return;
  for (long other = 1; other < items; ++other) sum += sums[other];
  give(result + result_at, sum, alpha, beta);
}

#if !COMPLEX
enum { MR = 2 * W };

// Copies an operand into panels: `width` positions of its free axes (m or n) next to each other for
// each k, zeros past the end. One work item per panel (id 0) and position of the batch (id 1).
__kernel void pack(__constant const long *form, int free_group, int side, __global const T *from,
                   long from_at, __global T *panels, long panels_at, long free, long depth,
                   long width) {
  const long panel = get_global_id(0), batch = get_global_id(1);
  from += from_at + offset_in(form + group_batch, batch, side);
  __global T *to = panels + panels_at + (batch * get_global_size(0) + panel) * depth * width;
  long at[2 * W > NR ? 2 * W : NR];
  const long filled = min(width, free - panel * width);
  for (long i = 0; i < filled; ++i) at[i] = offset_in(form + free_group, panel * width + i, side);
  const long run = form[group_k] > 0 ? form[group_k + 1] : 1;
  const long step = form[group_k] > 0 ? form[group_k + 1 + side] : 0;
  for (long begin = 0; begin < depth; begin += run) {
    __global const T *source = from + offset_in(form + group_k, begin, side);
    for (long k = 0; k < run; ++k, source += step, to += width) {
      for (long i = 0; i < filled; ++i) to[i] = source[at[i]];
      for (long i = filled; i < width; ++i) to[i] = 0;
    }
  }
}

// One tile of MR x NR of the result from two panels, held in registers over all of k.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void multiply(
    __constant const long *form, __global const T *panels, long left_at, long right_at,
    __global T *result, long result_at, long m, long n, long depth, T alpha, T beta) {
  const long row = get_global_id(0), column = get_global_id(1), batch = get_global_id(2);
  __global const T *a = panels + left_at + (batch * get_global_size(0) + row) * depth * MR;
  __global const T *b = panels + right_at + (batch * get_global_size(1) + column) * depth * NR;
  V low[NR], high[NR];
#pragma unroll
  for (int j = 0; j < NR; ++j) low[j] = high[j] = (V)(0);
  for (long k = 0; k < depth; ++k, a += MR, b += NR) {
    const V x = VLOAD(0, a), y = VLOAD(1, a);
#pragma unroll
    for (int j = 0; j < NR; ++j) {
      const V z = (V)(b[j]);
      low[j] = fma(x, z, low[j]);
      high[j] = fma(y, z, high[j]);
    }
  }
  T tile[MR * NR];
#pragma unroll
  for (int j = 0; j < NR; ++j) {
    VSTORE(low[j], 0, tile + j * MR);
    VSTORE(high[j], 1, tile + j * MR);
  }
  result += result_at + offset_in(form + group_batch, batch, of_result);
  const long rows = min((long)MR, m - row * MR), columns = min((long)NR, n - column * NR);
  long at[MR];
  for (long i = 0; i < rows; ++i) at[i] = offset_in(form + group_m, row * MR + i, of_result);
  for (long j = 0; j < columns; ++j) {
    __global T *to = result + offset_in(form + group_n, column * NR + j, of_result);
    for (long i = 0; i < rows; ++i) give(to + at[i], tile[j * MR + i], alpha, beta);
  }
}
#endif
