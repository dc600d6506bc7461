// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "blockyard/tensor/element.h"
#include "blockyard/tensor/shape.h"

namespace blockyard::tensor::detail {

/// Where the blocks of a copy are: in the first cache, the second, past both, or so large that the
/// result is best written past all caches; then finish_streams() lets other threads see it.
enum class Reach { first, second, far, streamed };

/// One of the loops of a copy.
struct CopyLoop {
  static constexpr int most = Shape::max_order + 2;  // of a copy
  Extent extent = 1;
  Extent in_stride = 1;
  Extent out_stride = 1;
};

/// One side of matrices to transpose: elements that follow each other in one block, whatever
/// indexes they belong to, and where each stands in the other block.
struct MatrixSide {
  static constexpr Extent most = 128;
  Extent extent = 1;
  int cut_loop = -1;       // its last index may be cut into pieces: the loop over these
  Extent last_extent = 1;  // of the last piece
  Extent at[most];         // the first `extent` are set
};

/// Elements that stay together in both blocks and only change places among themselves:
/// out[i] = in[from[i]].
struct Turn {
  static constexpr int most_vectors = 4;
  static constexpr int most = 64;
  /// What all types and instruction sets that have a `turn` can do.
  static constexpr int fits_all = 8;
  int extent = 0;
  const std::int32_t* from = nullptr;  // `most` of them, all less than that also past `extent`
};

/// Matrix products of one shape, `count` of them at equal distances:
/// c(i, j) = alpha * sum over l of a(i, l) * b(l, j) + beta * c(i, j); a(i, l) stands at
/// a[i + l * lda], b(l, j) at b[l * b_row + j * b_column].
template <class T>
struct SmallProducts {
  Extent m, n, k;
  T alpha;
  Extent lda, b_row, b_column, ldc;
  Extent count = 1;
  Extent a_step = 0, b_step = 0, c_step = 0;  ///< from one product to the next
};

/// The inner loops, written once in kernel_body.h and compiled for each instruction set.
/// Matrices are rows x columns, rows contiguous; `ld` is the distance of columns in elements.
template <Element T>
struct Kernels {
  /// Copies for each setting of the loops, of which the first is contiguous in both blocks and
  /// there are at least two; rows of whole cache lines pass the caches if asked for.
  void (*copy)(const CopyLoop* loops, int count, const T* in, T* out, Reach reach);
  /// out(i, j) = alpha * in(i, j) + beta * out(i, j); beta == 0 does not read out.
  /// in and out are the same or do not overlap.
  void (*axpby)(Extent rows, Extent columns, T alpha, const T* in, Extent in_ld, T beta, T* out,
                Extent out_ld);
  /// out[i] = value
  void (*fill)(Extent count, T value, T* out);
  /// out[i] = out[i] + value
  void (*add_scalar)(Extent count, T value, T* out);
  /// out[i] = alpha * x[i] * y[i] + beta * out[i]; beta == 0 does not read out.
  void (*product)(Extent count, T alpha, const T* x, const T* y, T beta, T* out);
  /// out[rows.at[i] + j] = in[columns.at[j] + i] for each setting of the loops around.
  void (*transpose)(const MatrixSide& rows, const MatrixSide& columns, const CopyLoop* loops,
                    int count, const T* in, T* out, Reach reach);
  /// For each setting of the loops, of which there is at least one; of.extent <= most_turned.
  /// Groups of whole cache lines pass the caches if asked for. Null where most_turned is 0.
  void (*turn)(const Turn& of, const CopyLoop* loops, int count, const T* in, T* out, Reach reach);
  Extent most_turned;
  /// For products too small for the BLAS.
  void (*small_gemm)(const SmallProducts<T>& of, const T* a, const T* b, T beta, T* c);
  /// sum of x[i] * y[i], in a fixed order.
  T (*dot)(Extent count, const T* x, const T* y);
  /// sum of conj(x[i]) * y[i], in a fixed order.
  T (*dot_conjugate)(Extent count, const T* x, const T* y);
  /// sum of x[i], in a fixed order.
  T (*sum)(Extent count, const T* x);
  void (*finish_streams)() noexcept;
};

/// The kernels of the best instruction set this processor has.
template <Element T>
[[nodiscard]] const Kernels<T>& kernels() noexcept;

/// All that this processor can run, the plainest first: tests compare them.
template <Element T>
[[nodiscard]] std::vector<const Kernels<T>*> all_kernels();

/// One table per compiled instruction set; only kernel_choice_*.cpp calls these.
template <Element T>
[[nodiscard]] const Kernels<T>& kernels_baseline() noexcept;
template <Element T>
[[nodiscard]] const Kernels<T>& kernels_avx2() noexcept;
template <Element T>
[[nodiscard]] const Kernels<T>& kernels_avx512() noexcept;

}  // namespace blockyard::tensor::detail
