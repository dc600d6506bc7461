// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace blockyard::lattice {

/// What one sample adds to a block of rows of G4, rows by k2, values of a row by k1:
///   out(k1, k2) += f ( p sum over t of a_t(k1, k2) b_t(at(k1) + row(k2))
///                     + sum over t of u_t(k1) v_t(k2) )
/// Every complex array is two planes, real parts and imaginary parts: tiles nk x nk, vectors nk,
/// and in each row of the result nk and nk; its rows follow each other at `stride`.
struct RowsTask {
  std::size_t nk = 0;
  std::size_t stride = 0;  ///< from a row of the result to the next
  double f_real = 1;
  double f_imaginary = 0;
  double p = 1;      ///< 1 or -1
  int products = 0;  ///< at most 2
  int outers = 0;    ///< at most 2
  const double* a[2] = {};
  const double* b[2] = {};
  const std::int32_t* at = nullptr;  ///< where b has what k1 goes with, and k2
  const std::int32_t* row = nullptr;
  const double* u[2] = {};
  const double* v[2] = {};
  double scale = 1;  ///< of exact sums
};

/// The kernels of one instruction set. Nothing allocates.
struct RowKernels {
  void (*add)(const RowsTask& task, double* out);
  /// Adds the nearest integers of scale times the contributions; returns the largest of these, in
  /// absolute value, without the scale.
  double (*add_exactly)(const RowsTask& task, std::int64_t* out);
  const char* name;
};

/// The best for this processor. "plain" asks for those that run everywhere.
[[nodiscard]] const RowKernels& row_kernels(bool plain = false) noexcept;

[[nodiscard]] const RowKernels& row_kernels_plain() noexcept;
[[nodiscard]] const RowKernels& row_kernels_avx2() noexcept;
[[nodiscard]] const RowKernels& row_kernels_avx512() noexcept;

}  // namespace blockyard::lattice
