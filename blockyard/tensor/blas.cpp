// SPDX-License-Identifier: Apache-2.0
#include "blockyard/tensor/blas.h"

#include <cblas.h>
#include <dlfcn.h>

namespace blockyard::tensor::blas {
namespace {

using base::to_int;

CBLAS_TRANSPOSE flag(Op op) noexcept {
  switch (op) {
    case Op::none:
      return CblasNoTrans;
    case Op::transpose:
      return CblasTrans;
    case Op::conjugate_transpose:
      return CblasConjTrans;
  }
  return CblasNoTrans;
}

}  // namespace

template <Element T>
void gemm(Op op_a, Op op_b, Extent m, Extent n, Extent k, T alpha, const T* a, Extent lda,
          const T* b, Extent ldb, T beta, T* c, Extent ldc) {
  const auto call = [&](auto routine, auto alpha_form, auto beta_form) {
    routine(CblasColMajor, flag(op_a), flag(op_b), to_int(m), to_int(n), to_int(k), alpha_form, a,
            to_int(lda), b, to_int(ldb), beta_form, c, to_int(ldc));
  };
  if constexpr (std::same_as<T, float>) call(cblas_sgemm, alpha, beta);
  if constexpr (std::same_as<T, double>) call(cblas_dgemm, alpha, beta);
  if constexpr (std::same_as<T, c64>) call(cblas_cgemm, &alpha, &beta);
  if constexpr (std::same_as<T, c128>) call(cblas_zgemm, &alpha, &beta);
}

template <Element T>
void gemv(Op op, Extent m, Extent n, T alpha, const T* a, Extent lda, const T* x, Extent incx,
          T beta, T* y, Extent incy) {
  const auto call = [&](auto routine, auto alpha_form, auto beta_form) {
    routine(CblasColMajor, flag(op), to_int(m), to_int(n), alpha_form, a, to_int(lda), x,
            to_int(incx), beta_form, y, to_int(incy));
  };
  if constexpr (std::same_as<T, float>) call(cblas_sgemv, alpha, beta);
  if constexpr (std::same_as<T, double>) call(cblas_dgemv, alpha, beta);
  if constexpr (std::same_as<T, c64>) call(cblas_cgemv, &alpha, &beta);
  if constexpr (std::same_as<T, c128>) call(cblas_zgemv, &alpha, &beta);
}

bool limit_blas_threads(int count) noexcept {
  using SetThreads = void (*)(int);
  constexpr const char* knobs[] = {"openblas_set_num_threads", "MKL_Set_Num_Threads"};
  for (const char* knob : knobs)
    if (void* found = dlsym(RTLD_DEFAULT, knob)) {
      reinterpret_cast<SetThreads>(found)(count);
      return true;
    }
  return false;
}

template void gemm<float>(Op, Op, Extent, Extent, Extent, float, const float*, Extent, const float*,
                          Extent, float, float*, Extent);
template void gemm<double>(Op, Op, Extent, Extent, Extent, double, const double*, Extent,
                           const double*, Extent, double, double*, Extent);
template void gemm<c64>(Op, Op, Extent, Extent, Extent, c64, const c64*, Extent, const c64*, Extent,
                        c64, c64*, Extent);
template void gemm<c128>(Op, Op, Extent, Extent, Extent, c128, const c128*, Extent, const c128*,
                         Extent, c128, c128*, Extent);
template void gemv<float>(Op, Extent, Extent, float, const float*, Extent, const float*, Extent,
                          float, float*, Extent);
template void gemv<double>(Op, Extent, Extent, double, const double*, Extent, const double*, Extent,
                           double, double*, Extent);
template void gemv<c64>(Op, Extent, Extent, c64, const c64*, Extent, const c64*, Extent, c64, c64*,
                        Extent);
template void gemv<c128>(Op, Extent, Extent, c128, const c128*, Extent, const c128*, Extent, c128,
                         c128*, Extent);

}  // namespace blockyard::tensor::blas
