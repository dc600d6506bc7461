// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "plugins/common/transform.h"

namespace blockyard::cuda {

/// Up to three neighbouring indexes transformed at once, as cuFFT's advanced layout has it; `count`
/// of them are in a batch, and there are `repeats` batches. Lengths in elements of either side.
struct TransformStep {
  enum class From { left, result, copy };  ///< copy: of left, in the workspace
  From from = From::left;
  bool to_copy = false;  ///< else to the result
  plugin::Transform::Sort sort = plugin::Transform::Sort::c2c;
  std::vector<long long> lengths, in_extents, out_extents;  ///< slowest index first
  long long stride = 1, in_distance = 1, out_distance = 1, count = 1;
  long long repeats = 1, in_advance = 0, out_advance = 0;
};

struct TransformSteps {
  std::vector<TransformStep> steps;
  bool copies_left = false;  ///< before the first step
};

/// c2r copies left, which cuFFT may overwrite.
[[nodiscard]] TransformSteps steps_of(const plugin::Transform& transform);

}  // namespace blockyard::cuda
