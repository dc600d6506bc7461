// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blockyard/base/integer.h"

namespace blockyard::array {

/// A whole dense array, first index fastest.
struct DenseArray {
  std::vector<base::Extent> extents;
  std::vector<double> values;
  friend bool operator==(const DenseArray&, const DenseArray&) = default;
};

}  // namespace blockyard::array
