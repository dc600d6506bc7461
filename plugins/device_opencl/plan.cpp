// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "plugins/device_opencl/machine.h"

namespace blockyard::opencl {
namespace {

/// The groups of axes as kernels.cl reads them.
class FormNumbers {
 public:
  explicit FormNumbers(const plugin::Form& form) {
    const std::array groups = {&form.m, &form.n, &form.k, &form.batch};
    for (std::size_t group = 0; group < groups.size(); ++group) {
      cl_long* at = numbers_.data() + group * group_longs;
      *at++ = static_cast<cl_long>(groups[group]->size());
      for (const plugin::Axis& axis : *groups[group]) {
        *at++ = axis.extent;
        at = std::ranges::copy(axis.stride, at).out;
      }
    }
  }
  [[nodiscard]] Buffer buffer(cl_context context) {
    cl_int code = CL_SUCCESS;
    Buffer result(clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof numbers_,
                                 numbers_.data(), &code));
    check(code, "clCreateBuffer");
    return result;
  }

 private:
  static constexpr std::size_t group_longs = 1 + 4 * blockyard_max_order;
  std::array<cl_long, 4 * group_longs> numbers_{};
};

std::int64_t padded(std::int64_t extent, std::int64_t of) { return (extent + of - 1) / of * of; }

/// Whether packing pays: there is arithmetic enough, and tiles are not mostly padding.
bool is_worth_packing(const Machine::Plan& plan, const Tile& tile) {
  constexpr std::int64_t least_depth = 4, least_products = 1 << 12;
  return tile.rows > 0 && plan.k >= least_depth && plan.m * plan.n * plan.k >= least_products &&
         2 * plan.m >= tile.rows && 2 * plan.n >= tile.columns;
}

}  // namespace

Machine::Plan* Machine::open_plan(const blockyard_operation& operation, plugin::Form form) {
  return &plans_.emplace_back(make_plan(operation, std::move(form)));
}

Machine::Plan Machine::make_plan(const blockyard_operation& operation, plugin::Form form) {
  const Tile tile = kernels(operation.element).tile;
  Plan plan;
  plan.operation = operation;
  plan.form_buffer = FormNumbers(form).buffer(context_.get());
  plan.m = plugin::extent_of(form.m);
  plan.n = plugin::extent_of(form.n);
  plan.k = plugin::extent_of(form.k);
  plan.batch = plugin::extent_of(form.batch);
  plan.form = std::move(form);
  if (operation.kind == BLOCKYARD_CONTRACT && is_worth_packing(plan, tile)) {
    plan.tile = tile;
    plan.right_begin = padded(plan.m, tile.rows) * plan.k * plan.batch;
    const std::int64_t right = padded(plan.n, tile.columns) * plan.k * plan.batch;
    plan.workspace_bytes = static_cast<std::uint64_t>(plan.right_begin + right) *
                           plugin::element_bytes(operation.element);
  }
  return plan;
}

}  // namespace blockyard::opencl
