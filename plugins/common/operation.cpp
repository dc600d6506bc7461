// SPDX-License-Identifier: Apache-2.0
#include "plugins/common/operation.h"

#include <algorithm>

namespace blockyard::plugin {

std::int64_t extent_of(const Axes& axes) noexcept {
  std::int64_t extent = 1;
  for (const Axis& axis : axes) extent *= axis.extent;
  return extent;
}

void sort_and_fuse(Axes& axes, std::size_t side) {
  std::erase_if(axes, [](const Axis& axis) { return axis.extent == 1; });
  std::ranges::sort(axes, {}, [side](const Axis& axis) { return axis.stride[side]; });
  Axes fused;
  for (const Axis& axis : axes) {
    const bool follows =
        !fused.empty() && std::ranges::equal(axis.stride, fused.back().stride, {}, {},
                                             [extent = fused.back().extent](std::int64_t stride) {
                                               return stride * extent;
                                             });
    if (follows)
      fused.back().extent *= axis.extent;
    else
      fused.push_back(axis);
  }
  axes = std::move(fused);
}

blockyard_status analyse(const blockyard_operation& operation, Form& form, const char** why) {
  *why = "this device does not know the operation";
  if (operation.size < sizeof operation || operation.kind > BLOCKYARD_DOT ||
      operation.element > BLOCKYARD_C128 ||
      operation.flags > (blockyard_conjugate_left | blockyard_conjugate_right))
    return BLOCKYARD_UNSUPPORTED;
  device::OperationIndexes indexes;
  *why = device::find_indexes(operation, indexes);
  if (*why != nullptr) return BLOCKYARD_BAD_ARGUMENT;
  form = {};
  for (const auto& [name, index] : indexes) {
    const auto& stride = index.stride;
    Axes& axes = stride[of_result] == 0  ? form.k
                 : stride[of_left] == 0  ? form.n
                 : stride[of_right] == 0 ? form.m
                                         : form.batch;
    axes.push_back({index.extent, stride});
  }
  sort_and_fuse(form.m, of_result);
  sort_and_fuse(form.n, of_result);
  sort_and_fuse(form.k, of_left);
  sort_and_fuse(form.batch, of_result);
  return BLOCKYARD_OK;
}

bool has_right(const blockyard_operation& operation) noexcept {
  return operation.kind == BLOCKYARD_CONTRACT || operation.kind == BLOCKYARD_DOT;
}

}  // namespace blockyard::plugin
