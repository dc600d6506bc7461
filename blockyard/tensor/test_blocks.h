// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "blockyard/tensor/element.h"
#include "blockyard/tensor/shape.h"

/// Random blocks for the tests of this room.
namespace blockyard::tensor::test {

template <Element T>
[[nodiscard]] T random_value(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  if constexpr (std::same_as<T, Real<T>>)
    return static_cast<T>(uniform(random));
  else
    return {static_cast<Real<T>>(uniform(random)), static_cast<Real<T>>(uniform(random))};
}

template <Element T>
[[nodiscard]] std::vector<T> random_block(Extent count, std::mt19937_64& random) {
  std::vector<T> block(static_cast<std::size_t>(count));
  for (T& value : block) value = random_value<T>(random);
  return block;
}

/// Extents from 1 to `largest`, fewer where the block would get more than `most` elements.
[[nodiscard]] inline Shape random_shape(std::size_t order, Extent largest, Extent most,
                                        std::mt19937_64& random) {
  std::vector<Extent> extents;
  Extent count = 1;
  for (std::size_t k = 0; k < order; ++k) {
    const Extent limit = std::min(largest, most / count);
    const auto above_one = static_cast<Extent>(random() % static_cast<std::uint64_t>(limit));
    extents.push_back(1 + above_one);
    count *= extents.back();
  }
  std::ranges::shuffle(extents, random);
  return Shape(extents);
}

/// Calls body(at) for each position of a block, first index fastest.
template <class Body>
void for_each_position(const Shape& shape, Body body) {
  Strides at{};
  for (;;) {
    body(at);
    std::size_t k = 0;
    for (; k < shape.order(); ++k) {
      if (++at[k] < shape[k]) break;
      at[k] = 0;
    }
    if (k == shape.order()) return;
  }
}

/// Where the element `at` stands.
[[nodiscard]] inline std::size_t place(const Strides& at, const Strides& strides) noexcept {
  Extent sum = 0;
  for (std::size_t k = 0; k < at.size(); ++k) sum += at[k] * strides[k];
  return static_cast<std::size_t>(sum);
}

}  // namespace blockyard::tensor::test
