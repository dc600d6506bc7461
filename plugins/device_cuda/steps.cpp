// SPDX-License-Identifier: Apache-2.0
#include "plugins/device_cuda/steps.h"

#include <utility>

namespace blockyard::cuda {

using plugin::of_left;
using plugin::of_result;
using plugin::of_right;

std::vector<int> usable_gpus(std::span<const int> capabilities) {
  std::vector<int> all, usable;
  for (const int capability : capabilities) {
    const int number = static_cast<int>(all.size());
    all.push_back(number);
    if (capability >= least_capability) usable.push_back(number);
  }
  return usable.empty() ? all : usable;
}

Walk walk_of(plugin::Axes axes, std::size_t to, std::size_t from) {
  plugin::sort_and_fuse(axes, to);
  Walk walk;
  for (const plugin::Axis& axis : axes) {
    walk.extent[walk.order] = axis.extent;
    walk.to[walk.order] = axis.stride[to];
    walk.from[walk.order++] = axis.stride[from];
  }
  return walk;
}

bool is_complex(std::uint32_t element) noexcept {
  return element == BLOCKYARD_C64 || element == BLOCKYARD_C128;
}

bool conjugates(const blockyard_operation& operation, std::size_t side) noexcept {
  const unsigned flag = side == of_left ? blockyard_conjugate_left : blockyard_conjugate_right;
  return is_complex(operation.element) && (operation.flags & flag) != 0;
}

Steps steps_of(const blockyard_operation& operation, plugin::Form form) {
  Steps steps;
  steps.operation = operation;
  if (plugin::has_right(operation)) {
    steps.form = plugin::matrix_form(
        form, {false, conjugates(operation, of_left), conjugates(operation, of_right)});
    steps.workspace_bytes = static_cast<std::uint64_t>(steps.form.workspace_elements) *
                            plugin::element_bytes(operation.element);
    steps.suits_cutensor = steps.workspace_bytes > 0;
  } else {
    steps.walk = walk_of(std::move(form.m), of_result, of_left);
    steps.suits_cutensor = steps.walk.order > 1 && tiled_axis(steps.walk) == 0;
  }
  return steps;
}

}  // namespace blockyard::cuda
