// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "blockyard/base/integer.h"
#include "blockyard/tensor/element.h"

/// The only door to the loaded BLAS. Column-major, as in Fortran.
namespace blockyard::tensor::blas {

using base::Extent;

enum class Op { none, transpose, conjugate_transpose };

/// c = alpha * op(a) * op(b) + beta * c, with op(a) m x k, op(b) k x n, c m x n.
template <Element T>
void gemm(Op op_a, Op op_b, Extent m, Extent n, Extent k, T alpha, const T* a, Extent lda,
          const T* b, Extent ldb, T beta, T* c, Extent ldc);

/// y = alpha * op(a) * x + beta * y, a is m x n.
template <Element T>
void gemv(Op op, Extent m, Extent n, T alpha, const T* a, Extent lda, const T* x, Extent incx,
          T beta, T* y, Extent incy);

/// Sets the number of threads of the loaded BLAS, for the whole process. Workers want 1: they are
/// the threads. False if the loaded BLAS has no such knob (the reference BLAS has one thread).
bool limit_blas_threads(int count) noexcept;

/// Address space that OpenBLAS maps for each of the calls that run at the same time, and keeps.
constexpr std::int64_t buffer_bytes = std::int64_t{129} << 20;

/// Maps what `calls` calls at the same time need, now: during a call OpenBLAS asks for it again and
/// again for ever where the system refuses it (`ulimit -v`). Throws Error{no_memory} if it does.
/// Other BLAS libraries: without effect.
void map_buffers(int calls);

}  // namespace blockyard::tensor::blas
