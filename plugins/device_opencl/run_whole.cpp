// SPDX-License-Identifier: Apache-2.0
// Triangles and factors: their steps on the device, products as those of contractions.
#include <algorithm>
#include <utility>

#include "plugins/device_opencl/launch.h"

namespace blockyard::opencl {

namespace {

using What = WholeStep::What;

constexpr double one[] = {1, 0}, minus_one[] = {-1, 0}, zero[] = {0, 0};

/// A product of plan: result -= left right.
blockyard_operation operation_of(const WholeStep& step, std::uint32_t element) {
  blockyard_operation operation{};
  operation.size = sizeof operation;
  operation.kind = BLOCKYARD_CONTRACT;
  operation.element = element;
  if (step.conjugates_left) operation.flags |= blockyard_conjugate_left;
  if (step.conjugates_right) operation.flags |= blockyard_conjugate_right;
  return operation;
}

std::size_t size_of(std::int64_t count) { return static_cast<std::size_t>(count); }

}  // namespace

Machine::Plan* Machine::open_whole(const blockyard_operation& operation,
                                   const plugin::Whole& whole) {
  std::vector<WholeStep> steps = whole_steps(whole);
  if (steps.empty()) return nullptr;
  auto& kernels = whole_kernels_[operation.element];
  if (!kernels) kernels = build_whole_kernels(context_.get(), device_, operation.element, cache_);
  Plan plan;
  plan.operation = operation;
  for (WholeStep& step : steps) {
    if (step.what == What::product) {
      plan.products.push_back(make_plan(operation_of(step, operation.element), form_of(step)));
      plan.workspace_bytes = std::max(plan.workspace_bytes, plan.products.back().workspace_bytes);
    }
    plan.steps.push_back(step);
  }
  return &plans_.emplace_back(std::move(plan));
}

void Machine::run_whole(Stream& stream, const Plan& plan, const blockyard_run& run,
                        const Places& places) {
  const std::uint32_t type = plan.operation.element;
  const std::uint64_t size = plugin::element_bytes(type);
  WholeKernels& all = *whole_kernels_[type];
  const auto at = [&](const Place& place, const Within& within) -> cl_long {
    return elements(place, plan) + within.begin;
  };
  const cl_long beside_at = elements(places.right, plan);
  const auto numbers = static_cast<cl_long>(plugin::element_count(plan.operation.right));
  const cl_long info_at = beside_at + numbers - 1;
  if (plan.operation.kind == BLOCKYARD_FACTOR)
    fill(stream,
         {places.right.buffer, places.right.offset + static_cast<std::size_t>(numbers - 1) * size},
         type, zero, 1);
  auto product = plan.products.begin();
  for (const WholeStep& step : plan.steps) {
    const Place& left = step.left_is_result ? places.result : places.left;
    const cl_mem result = places.result.buffer;
    const cl_long result_at = at(places.result, step.result);
    const Within& lies = step.result;
    switch (step.what) {
      case What::scale:
        if (run.alpha[0] == 1 && run.alpha[1] == 0) break;
        launch(stream, all.scale, {{size_of(step.n), 1, 1}, {}}, result, result_at,
               cl_long{lies.rows}, cl_long{lies.columns}, cl_long{step.m},
               element_of(type, run.alpha));
        break;
      case What::solve_block:
        launch(stream, all.solve_block, {{size_of(step.n), 1, 1}, {}}, left.buffer,
               at(left, step.left), cl_long{step.left.rows}, cl_long{step.left.columns},
               cl_int{step.is_lower}, cl_int{step.conjugates_left}, cl_int{step.is_unit}, result,
               result_at, cl_long{lies.rows}, cl_long{lies.columns}, cl_long{step.m});
        break;
      case What::update_triangle:
        launch(stream, all.update_triangle, {{size_of(step.m), 1, 1}, {}}, result, result_at,
               cl_long{lies.rows}, cl_long{lies.columns}, cl_long{step.k});
        break;
      case What::factor_triangle:
        launch(stream, all.factor_triangle, {}, result, result_at, cl_long{lies.rows},
               cl_long{lies.columns}, cl_long{step.m}, cl_long{step.first}, places.right.buffer,
               info_at);
        break;
      case What::factor_panel:
        launch(stream, all.factor_panel, {}, result, result_at, cl_long{lies.columns},
               cl_long{step.m}, cl_long{step.n}, cl_long{step.first}, places.right.buffer,
               beside_at, info_at);
        break;
      case What::exchange_rows:
        launch(stream, all.exchange_rows, {{size_of(step.n), 1, 1}, {}}, result, result_at,
               cl_long{lies.columns}, cl_long{step.first}, cl_long{step.k}, places.right.buffer,
               beside_at);
        break;
      case What::product: {
        const auto within = [&](const Place& place, const Within& part) -> Place {
          return {place.buffer, place.offset + static_cast<std::size_t>(part.begin) * size};
        };
        blockyard_run factors{};
        std::ranges::copy(minus_one, factors.alpha);
        std::ranges::copy(one, factors.beta);
        this->run(stream, *product++, factors,
                  {within(places.result, step.result), within(left, step.left),
                   within(places.result, step.right), places.workspace});
        break;
      }
    }
  }
}

}  // namespace blockyard::opencl
