// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/view.h"

#include <array>
#include <span>

#include "blockyard/tensor/permute.h"

namespace blockyard::block {

using tensor::Extent;

namespace {

template <class From, class To>
void convert_as(const View& from, const View& to) noexcept {
  std::array<Extent, tensor::Shape::max_order> at{};
  const From* source = from.as<const From>();
  To* target = to.as<To>();
  const std::size_t order = from.shape.order();
  const Extent row = order == 0 ? 1 : from.shape[0];
  for (Extent left = from.shape.element_count(); left > 0; left -= row) {
    for (Extent n = 0; n < row; ++n)
      target[n * to.strides[0]] =
          array::element_from<To>(std::complex<double>(source[n * from.strides[0]]));
    for (std::size_t k = 1; k < order; ++k) {
      source += from.strides[k];
      target += to.strides[k];
      if (++at[k] < from.shape[k]) break;
      source -= from.strides[k] * from.shape[k];
      target -= to.strides[k] * from.shape[k];
      at[k] = 0;
    }
  }
}

}  // namespace

std::complex<double> element_of(const View& view, Extent n) noexcept {
  const Extent at = position_of(view, n);
  return array::with_type(view.type,
                          [&]<class T>() { return std::complex<double>(view.as<const T>()[at]); });
}

void convert(const View& from, const View& to) noexcept {
  array::with_type(from.type, [&]<class From>() {
    array::with_type(to.type, [&]<class To>() { convert_as<From, To>(from, to); });
  });
}

void copy_dense(const View& from, std::byte* to) {
  constexpr std::array<int, tensor::Shape::max_order> same = {0, 1, 2, 3, 4, 5, 6, 7};
  array::with_type(from.type, [&]<class T>() {
    tensor::transform<T>(T(1), from.typed<T>(), std::span(same.data(), from.shape.order()), T(0),
                         tensor::View<T>::dense(reinterpret_cast<T*>(to), from.shape));
  });
}

View parts_of(View view, bool is_imaginary) noexcept {
  view.type = array::real_of(view.type);
  for (std::size_t k = 0; k < view.shape.order(); ++k) view.strides[k] *= 2;
  if (is_imaginary && view.data != nullptr) view.advance(1);
  return view;
}

}  // namespace blockyard::block
