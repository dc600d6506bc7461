// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "blockyard/blas/local/entry.h"
#include "blockyard/blas/product.h"

/// What stands behind the exported names of gemm: arguments as they come, forwarded as they are
/// unless a device is to have the call.
namespace blockyard::blas {

template <class T>
void fortran_gemm(Entry& entry, const void* caller, const char* transa, const char* transb,
                  const void* m, const void* n, const void* k, const void* alpha, const void* a,
                  const void* lda, const void* b, const void* ldb, const void* beta, void* c,
                  const void* ldc, std::size_t length0, std::size_t length1) noexcept;

/// Factors: real ones by value, complex ones by pointer.
template <class T>
using CblasScalar = std::conditional_t<std::is_floating_point_v<T>, T, const void*>;

template <class T>
void cblas_gemm(Entry& entry, const void* caller, int layout, int transa, int transb,
                std::int64_t m, std::int64_t n, std::int64_t k, CblasScalar<T> alpha, const void* a,
                std::int64_t lda, const void* b, std::int64_t ldb, CblasScalar<T> beta, void* c,
                std::int64_t ldc) noexcept;

}  // namespace blockyard::blas
