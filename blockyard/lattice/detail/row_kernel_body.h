// SPDX-License-Identifier: Apache-2.0
// Included by one source for each instruction set, so that all is internal to that source: a
// template or inline function with a name for others could be taken from the wrong one.
#pragma once

#include "blockyard/lattice/detail/row_kernels.h"

namespace blockyard::lattice {
namespace {

/// Contributions of one row to `real` and `imaginary`, nk values each: added there or put there.
template <int Products, int Outers, bool Adds>
inline void make_row(const RowsTask& task, std::size_t k2, double* __restrict real,
                     double* __restrict imaginary) {
  const std::size_t nk = task.nk;
  const std::size_t plane = nk * nk;
  const std::int32_t* __restrict at = task.at;
  const double* __restrict a0 = Products > 0 ? task.a[0] + k2 * nk : nullptr;
  const double* __restrict a1 = Products > 1 ? task.a[1] + k2 * nk : nullptr;
  const double* __restrict b0 = Products > 0 ? task.b[0] + task.row[k2] : nullptr;
  const double* __restrict b1 = Products > 1 ? task.b[1] + task.row[k2] : nullptr;
  const double* __restrict u0 = Outers > 0 ? task.u[0] : nullptr;
  const double* __restrict u1 = Outers > 1 ? task.u[1] : nullptr;
  const double v0_re = Outers > 0 ? task.v[0][k2] : 0;
  const double v0_im = Outers > 0 ? task.v[0][nk + k2] : 0;
  const double v1_re = Outers > 1 ? task.v[1][k2] : 0;
  const double v1_im = Outers > 1 ? task.v[1][nk + k2] : 0;
  const double p = task.p;
  const double f_re = task.f_real;
  const double f_im = task.f_imaginary;
  for (std::size_t k = 0; k < nk; ++k) {
    double re = 0;
    double im = 0;
    if constexpr (Products > 0) {
      const double b_re = b0[at[k]];
      const double b_im = b0[plane + static_cast<std::size_t>(at[k])];
      re += a0[k] * b_re - a0[plane + k] * b_im;
      im += a0[k] * b_im + a0[plane + k] * b_re;
    }
    if constexpr (Products > 1) {
      const double b_re = b1[at[k]];
      const double b_im = b1[plane + static_cast<std::size_t>(at[k])];
      re += a1[k] * b_re - a1[plane + k] * b_im;
      im += a1[k] * b_im + a1[plane + k] * b_re;
    }
    if constexpr (Products > 0) {
      re *= p;
      im *= p;
    }
    if constexpr (Outers > 0) {
      re += u0[k] * v0_re - u0[nk + k] * v0_im;
      im += u0[k] * v0_im + u0[nk + k] * v0_re;
    }
    if constexpr (Outers > 1) {
      re += u1[k] * v1_re - u1[nk + k] * v1_im;
      im += u1[k] * v1_im + u1[nk + k] * v1_re;
    }
    const double of_real = re * f_re - im * f_im;
    const double of_imaginary = re * f_im + im * f_re;
    real[k] = Adds ? real[k] + of_real : of_real;
    imaginary[k] = Adds ? imaginary[k] + of_imaginary : of_imaginary;
  }
}

constexpr std::size_t most_momenta_at_once = 1024;

template <int Products, int Outers>
void add_rows(const RowsTask& task, double* out) {
  for (std::size_t k2 = 0; k2 < task.nk; ++k2, out += task.stride) {
    for (std::size_t k = 0; k < 2 * task.nk; k += 8)
      __builtin_prefetch(out + 8 * task.stride + k, 1);
    make_row<Products, Outers, true>(task, k2, out, out + task.nk);
  }
}

inline double add_integers(const double* values, std::size_t count, double scale,
                           std::int64_t* out) {
  double most = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double size = values[k] < 0 ? -values[k] : values[k];
    if (!(size <= most)) most = size;  // also for a NaN
    out[k] += __builtin_llrint(values[k] * scale);
  }
  return most;
}

template <int Products, int Outers>
double add_rows_exactly(const RowsTask& task, std::int64_t* out) {
  double real[most_momenta_at_once];
  double imaginary[most_momenta_at_once];
  const std::size_t nk = task.nk;
  double most = 0;
  for (std::size_t k2 = 0; k2 < nk; ++k2, out += task.stride) {
    make_row<Products, Outers, false>(task, k2, real, imaginary);
    const double of_real = add_integers(real, nk, task.scale, out);
    const double of_imaginary = add_integers(imaginary, nk, task.scale, out + nk);
    if (!(of_real <= most)) most = of_real;
    if (!(of_imaginary <= most)) most = of_imaginary;
  }
  return most;
}

void add(const RowsTask& task, double* out) {
  if (task.products == 0)
    return task.outers == 1 ? add_rows<0, 1>(task, out) : add_rows<0, 2>(task, out);
  if (task.outers == 0) return add_rows<2, 0>(task, out);
  return task.outers == 1 ? add_rows<2, 1>(task, out) : add_rows<2, 2>(task, out);
}

double add_exactly(const RowsTask& task, std::int64_t* out) {
  if (task.products == 0)
    return task.outers == 1 ? add_rows_exactly<0, 1>(task, out) : add_rows_exactly<0, 2>(task, out);
  if (task.outers == 0) return add_rows_exactly<2, 0>(task, out);
  return task.outers == 1 ? add_rows_exactly<2, 1>(task, out) : add_rows_exactly<2, 2>(task, out);
}

}  // namespace
}  // namespace blockyard::lattice
