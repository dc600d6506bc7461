// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugins/common/operation.h"
#include "plugins/common/whole.h"
#include "plugins/device_opencl/opencl.h"

namespace blockyard::opencl {

/// The kernels of whole.cl for one element type. Not for two threads at once.
struct WholeKernels {
  Program program;
  Kernel scale, solve_block, update_triangle, factor_triangle, factor_panel, exchange_rows;
};
[[nodiscard]] WholeKernels build_whole_kernels(cl_context context, cl_device_id device,
                                               std::uint32_t element, const std::string& cache);

/// A matrix inside a block of a device: where it begins and its steps, in elements.
struct Within {
  std::int64_t begin = 0, rows = 1, columns = 0;
  [[nodiscard]] Within from(std::int64_t i, std::int64_t j) const noexcept {
    return {begin + i * rows + j * columns, rows, columns};
  }
  [[nodiscard]] Within transposed() const noexcept { return {begin, columns, rows}; }
};

/// One launch, or one product, of a triangle that is solved or a matrix that is factored.
struct WholeStep {
  enum class What {
    scale,
    solve_block,
    update_triangle,
    factor_triangle,
    factor_panel,
    exchange_rows,
    product  ///< result -= left right
  };
  What what = What::product;
  Within result, left, right;  ///< a triangle is `left`
  std::int64_t m = 1, n = 1, k = 1, first = 0;
  bool is_lower = true, conjugates_left = false, conjugates_right = false, is_unit = false;
  bool left_is_result = true;  ///< the same block of the device
};

/// The steps, in order; of kinds that are not here: none. In blocks of that many columns.
[[nodiscard]] std::vector<WholeStep> whole_steps(const plugin::Whole& whole);

/// A product of the steps as groups of axes.
[[nodiscard]] plugin::Form form_of(const WholeStep& step);

}  // namespace blockyard::opencl
