// SPDX-License-Identifier: Apache-2.0
#include "blockyard/tensor/shape.h"

#include <fmt/format.h>

#include "blockyard/base/error.h"

namespace blockyard::tensor {

using base::Errc;
using base::Error;

Shape::Shape(std::span<const Extent> extents) : order_(extents.size()) {
  if (order_ > max_order)
    throw Error(Errc::bad_input, fmt::format("a block has {} indexes, more than the {} possible",
                                             order_, max_order));
  Extent count = 1;
  for (std::size_t k = 0; k < order_; ++k) {
    const Extent extent = extents[k];
    if (extent <= 0)
      throw Error(Errc::bad_input,
                  fmt::format("index {} of a block has extent {}, not at least 1", k + 1, extent));
    if (__builtin_mul_overflow(count, extent, &count))  // blocks are located at each instruction
      throw Error(Errc::bad_input, "a block has more than 2^63 elements");
    extents_[k] = extent;
  }
}

Strides dense_strides(const Shape& shape) noexcept {
  Strides strides{};
  Extent stride = 1;
  for (std::size_t k = 0; k < shape.order(); ++k) {
    strides[k] = stride;
    stride *= shape[k];
  }
  return strides;
}

}  // namespace blockyard::tensor
