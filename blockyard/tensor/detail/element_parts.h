// SPDX-License-Identifier: Apache-2.0
// Included only by kernel_body.h, whose rules hold here too.
#pragma once

#include "blockyard/tensor/element.h"
#include "blockyard/tensor/shape.h"

namespace blockyard::tensor::detail {
namespace {

/// Complex numbers as pairs of reals, so that no std::complex function is called.
template <class T>
struct Parts {
  using Part = T;
  static constexpr int count = 1;
};
template <class R>
struct Parts<std::complex<R>> {
  using Part = R;
  static constexpr int count = 2;
};
template <class T>
using PartOf = typename Parts<T>::Part;

template <class T>
const PartOf<T>* parts(const T* x) {
  return reinterpret_cast<const PartOf<T>*>(x);  // allowed for std::complex
}
template <class T>
PartOf<T>* parts(T* x) {
  return reinterpret_cast<PartOf<T>*>(x);
}

/// `width` elements, each of `parts` numbers R, in one register.
template <class R, int parts, int width>
struct Register {
  using Vector [[gnu::vector_size(sizeof(R) * parts * width)]] = R;
};

}  // namespace
}  // namespace blockyard::tensor::detail
