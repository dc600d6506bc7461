// SPDX-License-Identifier: Apache-2.0
// Included by one source for each instruction set, so that all is internal to that source: a
// template or inline function with a name for others could be taken from the wrong one.
#pragma once

#include "blockyard/lattice/detail/row_kernels.h"

namespace blockyard::lattice {
namespace {

/// Contributions of one row to `real` and `imaginary`, nk values each.
template <int Products, int Outers>
inline void make_row(const RowsTask& task, std::size_t k2, double* __restrict real,
                     double* __restrict imaginary) {
  const std::size_t nk = task.nk;
  const std::size_t plane = nk * nk;
  for (std::size_t k = 0; k < nk; ++k) {
    double re = 0;
    double im = 0;
    if constexpr (Products > 0) {
      for (int t = 0; t < Products; ++t) {
        const double* a = task.a[t] + k2 * nk;
        const double* b = task.b[t] + k2 * nk;
        re += a[k] * b[k] - a[plane + k] * b[plane + k];
        im += a[k] * b[plane + k] + a[plane + k] * b[k];
      }
      re *= task.p;
      im *= task.p;
    }
    for (int t = 0; t < Outers; ++t) {
      const double v_re = task.v[t][k2];
      const double v_im = task.v[t][nk + k2];
      const double* u = task.u[t];
      re += u[k] * v_re - u[nk + k] * v_im;
      im += u[k] * v_im + u[nk + k] * v_re;
    }
    real[k] = re * task.f_real - im * task.f_imaginary;
    imaginary[k] = re * task.f_imaginary + im * task.f_real;
  }
}

constexpr std::size_t most_momenta_at_once = 1024;

template <int Products, int Outers>
void add_rows(const RowsTask& task, double* out) {
  double real[most_momenta_at_once];
  double imaginary[most_momenta_at_once];
  const std::size_t nk = task.nk;
  for (std::size_t k2 = 0; k2 < nk; ++k2, out += task.stride) {
    make_row<Products, Outers>(task, k2, real, imaginary);
    for (std::size_t k = 0; k < nk; ++k) out[k] += real[k];
    for (std::size_t k = 0; k < nk; ++k) out[nk + k] += imaginary[k];
  }
}

inline double add_integers(const double* values, std::size_t count, double scale,
                           std::int64_t* out) {
  double most = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double size = values[k] < 0 ? -values[k] : values[k];
    if (!(size <= most)) most = size;  // a NaN, too
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
    make_row<Products, Outers>(task, k2, real, imaginary);
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
