// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/tensor/view.h"

namespace blockyard::worker::detail {

/// Element number n of a view, the first index fastest. REQUIRES: there are as many.
[[nodiscard]] inline const double* element_of(const tensor::View<double>& view,
                                              tensor::Extent n) noexcept {
  const double* at = view.data;
  for (std::size_t k = 0; k < view.shape.order(); ++k) {
    at += n % view.shape[k] * view.strides[k];
    n /= view.shape[k];
  }
  return at;
}

}  // namespace blockyard::worker::detail
