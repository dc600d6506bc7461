// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/pack.h"

#include <algorithm>

namespace blockyard::blas {

namespace {

template <class T>
T real_of(T value) noexcept {
  return T(std::real(value));
}

/// An element of the dense copy, in the orientation of the matrix.
template <class T>
T element(const View<T>& view, std::int64_t i, std::int64_t j) noexcept {
  if (view.fill != Fill::none && i == j + view.shift) {
    if (view.has_unit_diagonal) return T(1);
    const T value = view.at[i + j * view.leading];
    return view.has_real_diagonal ? real_of(value) : value;
  }
  if (view.holds(i, j)) return view.at[i + j * view.leading];
  if (view.fill == Fill::zero) return T{};
  const T value = view.at[j + i * view.leading];
  if constexpr (is_complex<T>)
    if (view.fill == Fill::conjugated) return std::conj(value);
  return value;
}

}  // namespace

template <class T>
void pack(const View<T>& view, T* to) noexcept {
  constexpr std::int64_t tile = 32;  // rows and columns of both sides stay in the cache
  if (view.is_plain()) {
    for (std::int64_t j = 0; j < view.columns; ++j)
      std::copy_n(view.at + j * view.leading, view.rows, to + j * view.rows);
    return;
  }
  const std::int64_t row = view.is_transposed ? view.columns : 1;
  const std::int64_t column = view.is_transposed ? 1 : view.rows;
  for (std::int64_t j0 = 0; j0 < view.columns; j0 += tile)
    for (std::int64_t i0 = 0; i0 < view.rows; i0 += tile)
      for (std::int64_t j = j0; j < std::min(j0 + tile, view.columns); ++j)
        for (std::int64_t i = i0; i < std::min(i0 + tile, view.rows); ++i)
          to[i * row + j * column] = element(view, i, j);
}

template <class T>
void unpack(const View<T>& view, const T* from, T* to) noexcept {
  for (std::int64_t j = 0; j < view.columns; ++j) {
    const T* const column = from + j * view.rows;
    T* const target = to + j * view.leading;
    if (view.fill == Fill::none) {
      std::copy_n(column, view.rows, target);
      continue;
    }
    for (std::int64_t i = 0; i < view.rows; ++i)
      if (view.holds(i, j))
        target[i] = view.has_real_diagonal && i == j + view.shift ? real_of(column[i]) : column[i];
  }
}

template void pack(const View<float>&, float*) noexcept;
template void pack(const View<double>&, double*) noexcept;
template void pack(const View<c64>&, c64*) noexcept;
template void pack(const View<c128>&, c128*) noexcept;
template void unpack(const View<float>&, const float*, float*) noexcept;
template void unpack(const View<double>&, const double*, double*) noexcept;
template void unpack(const View<c64>&, const c64*, c64*) noexcept;
template void unpack(const View<c128>&, const c128*, c128*) noexcept;

}  // namespace blockyard::blas
