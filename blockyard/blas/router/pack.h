// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>

#include "blockyard/blas/level3.h"

namespace blockyard::blas {

/// The contents of a dense copy outside of the stored triangle.
enum class Fill : std::uint8_t { none, zero, mirrored, conjugated };

/// A part of a caller's matrix that is to lie densely on a device, and the elements of it that may
/// be read. With `fill` other than `none` only a triangle is read: element (i, j) of the matrix, in
/// its own orientation, belongs to it if i >= j + shift (lower) or i <= j + shift (upper).
template <class T>
struct View {
  const T* at = nullptr;
  std::int64_t rows = 0, columns = 0, leading = 0;
  bool is_transposed = false;  ///< the copy is
  Fill fill = Fill::none;
  bool is_upper = false;
  bool has_unit_diagonal = false;  ///< it is not read
  bool has_real_diagonal = false;  ///< its imaginary part is not read
  std::int64_t shift = 0;

  [[nodiscard]] bool holds(std::int64_t i, std::int64_t j) const noexcept {
    return fill == Fill::none || (is_upper ? i <= j + shift : i >= j + shift);
  }
  [[nodiscard]] std::int64_t bytes() const noexcept {
    return rows * columns * static_cast<std::int64_t>(sizeof(T));
  }
  /// Whether a copy of the columns as they lie does.
  [[nodiscard]] bool is_plain() const noexcept { return fill == Fill::none && !is_transposed; }
};

template <class T>
[[nodiscard]] bool is_finite(const T& value) noexcept {
  return std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
}

/// The dense copy, first index fastest.
template <class T>
void pack(const View<T>& view, T* to) noexcept;

/// Writes the elements that `view` holds into the matrix, from a copy in its orientation; those of
/// a real diagonal without their imaginary part.
template <class T>
void unpack(const View<T>& view, const T* from, T* to) noexcept;

}  // namespace blockyard::blas
