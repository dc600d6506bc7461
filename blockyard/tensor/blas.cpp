// SPDX-License-Identifier: Apache-2.0
#include "blockyard/tensor/blas.h"

#include <cblas.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"

namespace blockyard::tensor::blas {
namespace {

using base::to_int;

/// OpenBLAS ends the process that wants more than its table holds: 50 at the least, as it is built.
constexpr int most_buffers = 50;

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

void map_buffers(int calls) {
  using Allocate = void* (*)(int);
  using Release = void (*)(void*);
  const auto allocate = reinterpret_cast<Allocate>(dlsym(RTLD_DEFAULT, "blas_memory_alloc"));
  const auto release = reinterpret_cast<Release>(dlsym(RTLD_DEFAULT, "blas_memory_free"));
  if (allocate == nullptr || release == nullptr || calls <= 0) return;
  const auto bytes = static_cast<std::size_t>(calls * buffer_bytes);
  void* const room = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED)
    throw base::Error(
        base::Errc::no_memory,
        calls == 1
            ? fmt::format("OpenBLAS needs {} of address space, and the system refuses it: raise "
                          "the limit (ulimit -v)",
                          base::format_bytes(buffer_bytes))
            : fmt::format("OpenBLAS needs {} of address space, {} for each of {} workers, and the "
                          "system refuses it: raise the limit (ulimit -v), or take fewer workers "
                          "(-w)",
                          base::format_bytes(calls * buffer_bytes),
                          base::format_bytes(buffer_bytes), calls));
  ::munmap(room, bytes);
  std::vector<void*> buffers;
  for (int k = 0; k < std::min(calls, most_buffers); ++k) buffers.push_back(allocate(0));
  for (void* const buffer : buffers) release(buffer);
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
