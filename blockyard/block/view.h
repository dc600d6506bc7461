// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/array/element.h"
#include "blockyard/tensor/view.h"

namespace blockyard::block {

using array::ElementType;

/// The elements of a block, slice or region, of the type that its array has. Strides count
/// elements of that type.
struct View : tensor::View<std::byte> {
  ElementType type = ElementType::f64;

  [[nodiscard]] static View dense(void* data, const tensor::Shape& shape,
                                  ElementType type) noexcept {
    return {{static_cast<std::byte*>(data), shape, tensor::dense_strides(shape)}, type};
  }
  /// REQUIRES: T is what `type` names.
  template <class T>
  [[nodiscard]] T* as() const noexcept {
    return reinterpret_cast<T*>(data);
  }
  template <class T>
  [[nodiscard]] tensor::View<T> typed() const noexcept {
    return {as<T>(), shape, strides};
  }
  void advance(tensor::Extent elements) noexcept {
    data += elements * static_cast<tensor::Extent>(array::bytes_of(type));
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(shape.element_count()) * array::bytes_of(type);
  }
};

/// The offset in elements of element number n of a view from its first one, first index
/// fastest. REQUIRES: there are as many.
[[nodiscard]] inline tensor::Extent position_of(const View& view, tensor::Extent n) noexcept {
  tensor::Extent at = 0;
  for (std::size_t k = 0; k < view.shape.order(); ++k) {
    at += n % view.shape[k] * view.strides[k];
    n /= view.shape[k];
  }
  return at;
}

/// Element number n as a number.
[[nodiscard]] std::complex<double> element_of(const View& view, tensor::Extent n) noexcept;

/// Copies elements to a view of the same shape and any type that does not overlap: rounds to
/// nearest; of complex ones real elements take the real part.
void convert(const View& from, const View& to) noexcept;

/// Copies the elements of a view one after the other to `to`.
void copy_dense(const View& from, std::byte* to);

/// The real or the imaginary parts of complex elements, where they stand.
[[nodiscard]] View parts_of(View view, bool is_imaginary) noexcept;

}  // namespace blockyard::block
