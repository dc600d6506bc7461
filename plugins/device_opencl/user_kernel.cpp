// SPDX-License-Identifier: Apache-2.0
// Kernels of the user's own: a text, a kernel of ours around it, and how its grid is cut.
#include <algorithm>
#include <array>
#include <utility>

#include "plugins/common/edge_calls.h"
#include "plugins/device_opencl/functions.h"
#include "plugins/device_opencl/machine.h"
#include "plugins/device_opencl/program.h"

namespace blockyard::opencl {
namespace {

using plugin::listed;

std::string parameter_text(const blockyard_parameter& one, const std::string& n) {
  if (one.kind == BLOCKYARD_MEMORY) return "global char* a" + n + ", const long o" + n;
  if (one.kind == BLOCKYARD_LOCAL) return "local " + std::string(one.type) + "* a" + n;
  return "const " + std::string(one.type) + " a" + n;
}

std::string argument_text(const blockyard_parameter& one, const std::string& n) {
  if (one.kind != BLOCKYARD_MEMORY) return "a" + n;
  return "(global " + std::string(one.type) + "*)(a" + n + " + o" + n + ")";
}

/// The user's text, with or without functions of ours before it, with lines numbered as the user
/// has them under the name of the entry, and the kernel that gives each item its elements. With
/// groups every item calls, for barriers.
std::string text_of(const blockyard_kernel& kernel, bool has_functions) {
  const std::string entry = kernel.entry;
  std::string text = "#line 1 \"" + entry + "\"\n" + kernel.opencl + '\n';
  // A loop becomes vectors only if all that it calls is part of it by then.
  constexpr const char* inlined =
      "#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)\n";
  if (has_functions) text = function_text() + (inlined + text) + "#pragma clang attribute pop\n";
  text += "#line 1 \"arguments of " + entry + "\"\n" + plugin::size_checks(kernel) +
          "kernel void blockyard_entry(const long n, const long per_item" +
          listed(kernel, parameter_text) +
          ") {\n"
          "  const long first = (long)get_global_id(0) * per_item;\n"
          "  const long count = first >= n ? 0 : min(per_item, n - first);\n";
  if ((kernel.operation.flags & blockyard_groups) == 0) text += "  if (count == 0) return;\n";
  text += "  " + entry + "(first, count";
  if (kernel.order > 1) text += ", (long)get_global_id(1)";
  if (kernel.order > 2) text += ", (long)get_global_id(2)";
  return text + listed(kernel, argument_text) + ");\n}\n";
}

constexpr const char* kernel_options = "-cl-std=CL1.2";
constexpr std::int64_t gpu_warp = 32;  ///< items that run in step, or a part of them

std::int64_t most_items_of(const Kernel& kernel, cl_device_id device) {
  std::size_t most = 1;
  check(clGetKernelWorkGroupInfo(kernel.get(), device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most,
                                 &most, nullptr),
        "clGetKernelWorkGroupInfo");
  return static_cast<std::int64_t>(most);
}

bool has_f64(cl_device_id device) {
  return property<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
}

}  // namespace

Machine::Compiled Machine::compile(const std::string& text) {
  Compiled made;
  made.program = build_program(context_.get(), device_, text, kernel_options, cache_);
  // A function that is not there would only be missed when a program is linked.
  made.kernel = opencl::open_kernel(made.program, "blockyard_entry");
  return made;
}

Machine::Plan* Machine::open_kernel(const blockyard_kernel& kernel) {
  if (kernel.opencl == nullptr) return nullptr;
  KernelPlan made;
  made.form = plugin::KernelForm(kernel);
  made.launches = std::make_unique<Launches>();
  made.launches->name = kernel.entry;
  std::string text = text_of(kernel, false);
  bool has_functions = is_cpu_ && names_functions(kernel.opencl) && has_f64(device_);
  if (has_functions) try {
      const std::string with_ours = text_of(kernel, true);
      made.usual = compile(with_ours);
      made.launches->driver_text = std::exchange(text, with_ours);
    } catch (const BuildFailure&) {  // the text means something else by these names, or is wrong
      has_functions = false;
    }
  if (!has_functions) try {
      made.usual = compile(text);
    } catch (const BuildFailure& failure) {
      throw plugin::Refusal(std::string("the OpenCL text of '") + kernel.entry +
                            "' does not compile for " + name() + ":\n" + failure.what());
    }
  made.most_items = most_items_of(made.usual.kernel, device_);
  made.launches->file = file_beside(device_, text, kernel_options, cache_);
  made.launches->shapes = plugin::KernelShapes(
      {is_cpu_, property<cl_uint>(device_, CL_DEVICE_MAX_COMPUTE_UNITS), made.most_items,
       is_cpu_ ? property<cl_uint>(device_, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT) : gpu_warp,
       has_functions});
  made.launches->shapes.decode(read_kept(made.launches->file));
  Plan plan;
  plan.operation = kernel.operation;
  plan.kernel = std::move(made);
  return &plans_.emplace_back(std::move(plan));
}

/// The text with the driver's functions is compiled when a run first takes it.
const Kernel& Machine::kernel_of(const KernelPlan& plan, bool is_driver) {
  Launches& launches = *plan.launches;
  if (is_driver && !launches.driver_text.empty()) {
    const std::string text = std::exchange(launches.driver_text, {});
    try {
      launches.driver = compile(text);
    } catch (const BuildFailure&) {  // the usual text compiled, so runs go on with that
    }
  }
  return is_driver && launches.driver.kernel ? launches.driver.kernel : plan.usual.kernel;
}

/// Takes the times of the runs that have ended since, and keeps what is new of them.
void Machine::Launches::collect() {
  const auto seconds = [](const Event& event) -> double {
    cl_ulong begin = 0, end = 0;
    if (clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_START, sizeof begin, &begin,
                                nullptr) != CL_SUCCESS ||
        clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr) !=
            CL_SUCCESS ||
        end <= begin)
      return 0;
    constexpr double nanosecond = 1e-9;
    return static_cast<double>(end - begin) * nanosecond;
  };
  std::erase_if(running, [&](const auto& run) {
    if (!is_done(run.first)) return false;
    const double lasted = seconds(run.first);
    if (lasted > 0 && shapes.measured(run.second, lasted) && !file.empty())
      keep(file, shapes.encode());
    return true;
  });
}

std::string Machine::choices() {
  std::string text = past_choices_;
  for (const Plan& plan : plans_)
    if (plan.kernel) {
      plan.kernel->launches->collect();
      text += plan.kernel->launches->lines();
    }
  return text;
}

/// As the run says; else as rules and the times of earlier runs do: then `launched` says which.
plugin::Launch Machine::shaped(const KernelPlan& plan, const blockyard_kernel_run& run,
                               plugin::KernelShapes::Launched& launched) {
  plugin::Launch launch = launch_of(plan.form, run);
  if (launch.group == 0 && launch.per_item == 0) {
    plan.launches->collect();
    launched = plan.launches->shapes.next(launch.extent);
    launch.group = launched.shape.group;
    launch.per_item = launched.shape.per_item;
  }
  if (launch.group == 0 || launch.per_item == 0) {  // the run says one of the two
    const plugin::LaunchShape rule = plan.launches->shapes.rule(launch.extent);
    if (launch.group == 0) launch.group = rule.group;
    if (launch.per_item == 0)
      launch.per_item = std::max<std::int64_t>(1, rule.group * rule.per_item / launch.group);
  }
  plugin::check_group(launch, plan.most_items);
  return launch;
}

void Machine::run_kernel(Stream& stream, const Plan& plan, const blockyard_kernel_run& run,
                         const Place* places) {
  const KernelPlan& compiled = *plan.kernel;
  plugin::KernelShapes::Launched launched;
  const plugin::Launch launch = shaped(compiled, run, launched);
  const cl_kernel kernel = kernel_of(compiled, launched.is_driver).get();
  cl_uint position = 0;
  const auto set = [&](std::size_t bytes, const void* value) {
    const cl_int code = clSetKernelArg(kernel, position++, bytes, value);
    check(code, "clSetKernelArg");
  };
  const cl_long n = launch.extent[0], per_item = launch.per_item;
  set(sizeof n, &n);
  set(sizeof per_item, &per_item);
  for (std::size_t k = 0; k < compiled.form.parameters.size(); ++k) {
    const blockyard_argument& one = run.arguments[k];
    if (compiled.form.parameters[k].kind == BLOCKYARD_MEMORY) {
      const auto offset = static_cast<cl_long>(places[k].offset);
      set(sizeof places[k].buffer, &places[k].buffer);
      set(sizeof offset, &offset);
    } else {
      set(one.bytes, compiled.form.parameters[k].kind == BLOCKYARD_LOCAL ? nullptr : one.value);
    }
  }
  const std::array<std::size_t, 3> items = {static_cast<std::size_t>(launch.items()),
                                            static_cast<std::size_t>(launch.extent[1]),
                                            static_cast<std::size_t>(launch.extent[2])};
  const std::array<std::size_t, 3> group = {static_cast<std::size_t>(launch.group), 1, 1};
  enqueue(stream, "clEnqueueNDRangeKernel", [&](auto queue, auto... events) {
    return clEnqueueNDRangeKernel(queue, kernel, compiled.form.order, nullptr, items.data(),
                                  group.data(), events...);
  });
  constexpr std::size_t most_running = 16;
  auto& running = compiled.launches->running;
  if (launched.elements > 0 && running.size() < most_running)
    running.emplace_back(stream.last, launched);
}

}  // namespace blockyard::opencl
