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

EventOwner timing_event() {
  cudaEvent_t raw = nullptr;
  check(cudaEventCreate(&raw), "cudaEventCreate");
  return EventOwner(raw);
}

}  // namespace

Machine::Plan* Machine::open_kernel(const blockyard_kernel& kernel) {
  const bool is_text = kernel.ptx == nullptr && kernel.cuda != nullptr;
  const auto compiler = is_text ? TextCompiler::find() : std::nullopt;
  if (kernel.ptx == nullptr && !compiler) return nullptr;
  use();
  check(cudaFree(nullptr), "cudaFree");  // modules go to the context that this makes
  if (!driver_) driver_ = Driver::find();
  auto made = std::make_unique<KernelPlan>();
  made->form = plugin::KernelForm(kernel);
  try {
    std::string code, entry = kernel.entry;
    if (kernel.ptx != nullptr) {
      code = kernel.ptx;
    } else {
      code = compiler->compile_text(kernel_text(kernel), entry, capability_);
      entry = "blockyard_entry";
    }
    made->function.emplace(*driver_, code, entry);
  } catch (const BuildFailure& failure) {
    throw plugin::Refusal(std::string("the CUDA form of '") + kernel.entry +
                          "' does not compile for " + name() + ":\n" + failure.what());
  }
  made->most_items = most_items_of(*driver_, *made->function);
  made->name = kernel.entry;
  int units = 1;
  check(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device_),
        "cudaDeviceGetAttribute");
  constexpr std::int64_t warp = 32;
  made->shapes = plugin::KernelShapes({false, units, made->most_items, warp});
  Plan plan{};
  plan.operation = kernel.operation;
  plan.kernel = std::move(made);
  return &plans_.emplace_back(std::move(plan));
}

/// Takes the times of the runs that have ended since.
void Machine::KernelPlan::collect() {
  std::erase_if(running, [this](const Timed& run) {
    const cudaError_t code = cudaEventQuery(run.end.get());
    if (code == cudaErrorNotReady) {
      static_cast<void>(cudaGetLastError());  // it would be found there by other users of CUDA
      return false;
    }
    constexpr double millisecond = 1e-3;
    float lasted = 0;
    if (code == cudaSuccess &&
        cudaEventElapsedTime(&lasted, run.begin.get(), run.end.get()) == cudaSuccess && lasted > 0)
      static_cast<void>(shapes.measured(run.launched, static_cast<double>(lasted) * millisecond));
    return true;
  });
}

std::string Machine::choices() {
  use();
  std::string text = past_choices_;
  for (const Plan& plan : plans_)
    if (plan.kernel) {
      plan.kernel->collect();
      text += plan.kernel->lines();
    }
  return text;
}

/// As the run says; else as rules and the times of earlier runs do: then `launched` says which.
plugin::Launch Machine::shaped(KernelPlan& plan, const blockyard_kernel_run& run,
                               plugin::KernelShapes::Launched& launched) {
  plugin::Launch launch = launch_of(plan.form, run);
  if (launch.group == 0 && launch.per_item == 0) {
    plan.collect();
    launched = plan.shapes.next(launch.extent);
    launch.group = launched.shape.group;
    launch.per_item = launched.shape.per_item;
  }
  if (launch.group == 0) launch.group = plan.shapes.rule(launch.extent).group;
  if (launch.per_item == 0) launch.per_item = 1;
  plugin::check_group(launch, plan.most_items);
  return launch;
}

void Machine::run_kernel(Stream& stream, const Plan& plan, const blockyard_kernel_run& run,
                         const Place* places) {
  use();
  KernelPlan& compiled = *plan.kernel;
  plugin::KernelShapes::Launched launched;
  plugin::Launch launch = shaped(compiled, run, launched);
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
  KernelPlan::Timed timed;
  constexpr std::size_t most_running = 16;
  const bool is_timed = launched.elements > 0 && compiled.running.size() < most_running;
  if (is_timed) {
    timed = {launched, timing_event(), timing_event()};
    check(cudaEventRecord(timed.begin.get(), stream.raw.get()), "cudaEventRecord");
  }
  const CUresult code =
      driver_->launch(compiled.function->get(), static_cast<unsigned>(blocks), 1, 1,
                      static_cast<unsigned>(launch.group), 1, 1, static_cast<unsigned>(local_bytes),
                      stream.raw.get(), arguments.data(), nullptr);
  if (code != CUDA_SUCCESS) stream.has_failed = true;
  driver_->check(code, "cuLaunchKernel");
  if (!is_timed) return;
  check(cudaEventRecord(timed.end.get(), stream.raw.get()), "cudaEventRecord");
  compiled.running.push_back(std::move(timed));
}

}  // namespace blockyard::cuda
