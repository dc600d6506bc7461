// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>

#include "blockyard/base/integer.h"

namespace blockyard::tensor {

using base::Extent;

/// Extents of a dense block, first index fastest. Order 0 is a scalar of one element.
class Shape {
 public:
  static constexpr std::size_t max_order = 8;  // Global Arrays need 7

  Shape() = default;
  /// Throws Error{bad_input} if there are more than max_order extents, one is not positive, or
  /// the number of elements does not fit an Extent.
  explicit Shape(std::span<const Extent> extents);
  Shape(std::initializer_list<Extent> extents)
      : Shape(std::span<const Extent>(extents.begin(), extents.size())) {}

  [[nodiscard]] std::span<const Extent> extents() const noexcept {
    return {extents_.data(), order_};
  }
  [[nodiscard]] std::size_t order() const noexcept { return order_; }
  /// Extent of index k, k < order().
  [[nodiscard]] Extent operator[](std::size_t k) const noexcept { return extents_[k]; }
  [[nodiscard]] Extent element_count() const noexcept {
    Extent count = 1;
    for (std::size_t k = 0; k < order_; ++k) count *= extents_[k];
    return count;
  }
  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::array<Extent, max_order> extents_{};
  std::size_t order_ = 0;
};

/// Distance in elements between neighbours along each index; 0 past the order.
using Strides = std::array<Extent, Shape::max_order>;

/// Strides of a dense block: 1, e0, e0*e1, ...
[[nodiscard]] Strides dense_strides(const Shape& shape) noexcept;

}  // namespace blockyard::tensor
