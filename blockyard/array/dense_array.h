// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/array/element.h"
#include "blockyard/base/integer.h"

namespace blockyard::array {

/// A whole dense array, first index fastest. Its values are f64 whatever its elements are; of a
/// complex element the real and the imaginary part, one after the other.
struct DenseArray {
  std::vector<base::Extent> extents;
  std::vector<double> values;
  ElementType type = ElementType::f64;
  friend bool operator==(const DenseArray&, const DenseArray&) = default;
};

}  // namespace blockyard::array
