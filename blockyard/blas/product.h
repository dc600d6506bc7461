// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace blockyard::blas {

using c64 = std::complex<float>;
using c128 = std::complex<double>;

/// A matrix product as BLAS describes it, column-major:
///   c = alpha * op(a) * op(b) + beta * c,   op(a) m x k, op(b) k x n, c m x n
/// op: 'N' as it is, 'T' transposed, 'C' transposed and conjugated.
template <class T>
struct Product {
  char op_a = 'N';
  char op_b = 'N';
  std::int64_t m = 0, n = 0, k = 0;
  T alpha{};
  const T* a = nullptr;
  std::int64_t lda = 0;
  const T* b = nullptr;
  std::int64_t ldb = 0;
  T beta{};
  T* c = nullptr;
  std::int64_t ldc = 0;

  [[nodiscard]] double flops() const noexcept {
    return (std::is_floating_point_v<T> ? 2.0 : 8.0) * static_cast<double>(m) *
           static_cast<double>(n) * static_cast<double>(k);
  }
  /// The same with columns `from` to `to` of c only.
  [[nodiscard]] Product columns(std::int64_t from, std::int64_t to) const noexcept {
    Product part = *this;
    part.n = to - from;
    part.b += op_b == 'N' ? from * ldb : from;
    part.c += from * ldc;
    return part;
  }
};

/// The range of bytes from the first to the last element of a matrix.
struct Range {
  std::uintptr_t begin, end;
  [[nodiscard]] bool overlaps(const Range& other) const noexcept {
    return begin < other.end && other.begin < end;
  }
};
template <class T>
[[nodiscard]] Range range_of(const T* matrix, std::int64_t rows, std::int64_t columns,
                             std::int64_t leading) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(matrix);
  const auto elements = static_cast<std::uintptr_t>((columns - 1) * leading + rows);
  return {begin, begin + elements * sizeof(T)};
}

/// Whether the routine takes these arguments, and there is something to compute: all others go to
/// the local library as they are, which knows what to say of them.
template <class T>
[[nodiscard]] bool is_usual(const Product<T>& p) noexcept {
  const auto is_op = [](char op) { return op == 'N' || op == 'T' || op == 'C'; };
  if (!is_op(p.op_a) || !is_op(p.op_b) || p.m <= 0 || p.n <= 0 || p.k <= 0) return false;
  const bool plain_a = p.op_a == 'N', plain_b = p.op_b == 'N';
  if (p.lda < (plain_a ? p.m : p.k) || p.ldb < (plain_b ? p.k : p.n) || p.ldc < p.m) return false;
  if (p.alpha == T{} || p.a == nullptr || p.b == nullptr || p.c == nullptr) return false;
  const Range a = range_of(p.a, plain_a ? p.m : p.k, plain_a ? p.k : p.m, p.lda);
  const Range b = range_of(p.b, plain_b ? p.k : p.n, plain_b ? p.n : p.k, p.ldb);
  const Range c = range_of(p.c, p.m, p.n, p.ldc);
  return !c.overlaps(a) && !c.overlaps(b);
}

}  // namespace blockyard::blas
