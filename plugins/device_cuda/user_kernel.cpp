// SPDX-License-Identifier: Apache-2.0
// Kernels of the user's own: PTX, or a text with a kernel of ours around it.
#include <algorithm>
#include <array>

#include "plugins/common/edge_calls.h"
#include "plugins/device_cuda/kernel_text.h"
#include "plugins/device_cuda/machine.h"

namespace blockyard::cuda {
namespace {

int most_items_of(const Driver& driver, const LoadedFunction& function) {
  int most = 1;
  driver.check(driver.attribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function.get()),
               "cuFuncGetAttribute");
  return most;
}

}  // namespace

Machine::Plan* Machine::open_kernel(const blockyard_kernel& kernel) {
  if (kernel.ptx == nullptr && kernel.cuda == nullptr) return nullptr;
  use();
  check(cudaFree(nullptr), "cudaFree");  // modules go to the context that this makes
  if (!driver_) driver_ = Driver::find();
  auto made = std::make_unique<KernelPlan>();
  made->form = plugin::KernelForm(kernel);
  try {
    std::string ptx, entry = kernel.entry;
    if (kernel.ptx != nullptr) {
      ptx = kernel.ptx;
    } else {
      const auto compiler = TextCompiler::find();
      if (!compiler) return nullptr;
      ptx = compiler->compile_text(kernel_text(kernel), entry,
                                   "compute_" + std::to_string(capability_));
      entry = "blockyard_entry";
    }
    made->function.emplace(*driver_, ptx, entry);
  } catch (const BuildFailure& failure) {
    throw plugin::Refusal(std::string("the CUDA form of '") + kernel.entry +
                          "' does not compile for " + name() + ":\n" + failure.what());
  }
  made->most_items = most_items_of(*driver_, *made->function);
  Plan plan{};
  plan.operation = kernel.operation;
  plan.kernel = std::move(made);
  return &plans_.emplace_back(std::move(plan));
}

/// An item has one element, so that neighbours in a group read neighbours in memory, until there
/// are more than the GPU has room for many times over.
plugin::Launch Machine::shaped(const KernelPlan& plan, const blockyard_kernel_run& run) {
  constexpr std::int64_t usual_group = 128;
  plugin::Launch launch = launch_of(plan.form, run);
  if (launch.group == 0) launch.group = std::min<std::int64_t>(usual_group, plan.most_items);
  if (launch.group > plan.most_items)
    throw plugin::Refusal("a group of this kernel has at most " + std::to_string(plan.most_items) +
                          " items on this device");
  if (launch.per_item == 0) launch.per_item = 1;
  return launch;
}

void Machine::run_kernel(Stream& stream, const Plan& plan, const blockyard_kernel_run& run,
                         const Place* places) {
  use();
  const KernelPlan& compiled = *plan.kernel;
  plugin::Launch launch = shaped(compiled, run);
  const std::size_t count = compiled.form.parameters.size();
  constexpr std::uint64_t alignment = 16;
  std::array<void*, blockyard_max_parameters + 3> arguments{};
  std::array<std::uint32_t, blockyard_max_parameters> local_begin{};
  std::uint64_t local_bytes = 0;
  arguments[0] = launch.extent.data();
  arguments[1] = launch.extent.data() + 1;
  arguments[2] = &launch.per_item;
  for (std::size_t n = 0; n < count; ++n) {
    const blockyard_argument& one = run.arguments[n];
    void*& argument = arguments[n + 3];
    if (compiled.form.parameters[n].kind == BLOCKYARD_MEMORY) {
      argument = const_cast<Place*>(places + n);
    } else if (compiled.form.parameters[n].kind == BLOCKYARD_VALUE) {
      argument = const_cast<void*>(one.value);
    } else {
      local_begin[n] = static_cast<std::uint32_t>(local_bytes);
      local_bytes += (one.bytes + alignment - 1) / alignment * alignment;
      argument = &local_begin[n];
    }
  }
  const std::int64_t blocks = launch.groups() * launch.extent[1] * launch.extent[2];
  if (blocks > INT32_MAX)
    throw plugin::Refusal("the grid has more groups than the device takes: give items more");
  const CUresult code =
      driver_->launch(compiled.function->get(), static_cast<unsigned>(blocks), 1, 1,
                      static_cast<unsigned>(launch.group), 1, 1, static_cast<unsigned>(local_bytes),
                      stream.raw.get(), arguments.data(), nullptr);
  if (code != CUDA_SUCCESS) stream.has_failed = true;
  driver_->check(code, "cuLaunchKernel");
}

}  // namespace blockyard::cuda
