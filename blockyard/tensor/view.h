// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "blockyard/tensor/shape.h"

namespace blockyard::tensor {

/// A block in memory owned elsewhere, possibly a slice of a larger one:
/// element (i0, i1, ...) stands at data[i0 * strides[0] + i1 * strides[1] + ...].
template <class T>
struct View {
  T* data = nullptr;
  Shape shape;
  Strides strides{};

  /// All elements of `shape` one after the other, first index fastest.
  [[nodiscard]] static View dense(T* data, const Shape& shape) noexcept {
    return {data, shape, dense_strides(shape)};
  }
  /// True if the elements stand one after the other. Strides of extents of 1 do not matter.
  [[nodiscard]] bool is_dense() const noexcept {
    Extent expected = 1;
    for (std::size_t k = 0; k < shape.order(); ++k) {
      if (shape[k] != 1 && strides[k] != expected) return false;
      expected *= shape[k];
    }
    return true;
  }
  /// Views of mutable elements serve where constant ones are asked for.
  operator View<const T>() const noexcept  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {data, shape, strides};
  }
  friend bool operator==(const View&, const View&) = default;
};

}  // namespace blockyard::tensor
