// SPDX-License-Identifier: Apache-2.0
// Where the time of a small program goes, by kind of call.
#include <fmt/format.h>

#include <utility>

#include "bench/contract/measure.h"
#include "bench/opencl/loops.h"
#include "bench/opencl/published_kernels.h"
#include "plugins/device_opencl/opencl.h"

namespace blockyard::bench {
namespace {

using opencl::check;

/// Seconds of each kind of call, in the order of the program.
class Costs {
 public:
  template <class Call>
  auto time(const std::string& kind, const Call& call) {
    const double begin = wall_seconds();
    const auto note = [&] { seconds_.emplace_back(kind, wall_seconds() - begin); };
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      note();
    } else {
      auto result = call();
      note();
      return result;
    }
  }
  [[nodiscard]] const std::vector<std::pair<std::string, double>>& all() const { return seconds_; }

 private:
  std::vector<std::pair<std::string, double>> seconds_;
};

template <class Owner, class Make>
Owner made(const char* call, const Make& make) {
  cl_int code = CL_SUCCESS;
  Owner owner(make(&code));
  check(code, call);
  return owner;
}

/// VectorAdd of 110000 elements, every call of it timed.
Costs vector_add(const std::vector<float>& numbers) {
  constexpr std::size_t n = 110000, bytes = n * sizeof(float);
  Costs costs;
  const cl_device_id device =
      costs.time("platform and device", [] { return opencl::find_devices(); }).front();
  auto context = costs.time("context", [&] {
    return made<opencl::Context>("clCreateContext", [&](cl_int* code) {
      return clCreateContext(nullptr, 1, &device, nullptr, nullptr, code);
    });
  });
  auto queue = costs.time("queue", [&] {
    return made<opencl::Queue>("clCreateCommandQueue", [&](cl_int* code) {
      return clCreateCommandQueue(context.get(), device, 0, code);
    });
  });
  const auto buffer = [&] {
    return made<opencl::Buffer>("clCreateBuffer", [&](cl_int* code) {
      return clCreateBuffer(context.get(), CL_MEM_READ_WRITE, bytes, nullptr, code);
    });
  };
  auto buffers = costs.time("buffers", [&] { return std::vector{buffer(), buffer(), buffer()}; });
  auto program = costs.time("program", [&] {
    const char* source = published_kernels;
    auto built = made<opencl::Program>("clCreateProgramWithSource", [&](cl_int* code) {
      return clCreateProgramWithSource(context.get(), 1, &source, nullptr, code);
    });
    check(clBuildProgram(built.get(), 1, &device, "-cl-std=CL1.2", nullptr, nullptr),
          "clBuildProgram");
    return built;
  });
  auto kernel = costs.time("kernel", [&] {
    return made<opencl::Kernel>("clCreateKernel", [&](cl_int* code) {
      return clCreateKernel(program.get(), "vector_add", code);
    });
  });
  const auto launch = [&] {
    const cl_int length = n, per = 100;
    for (cl_uint k = 0; k < 3; ++k) {
      const cl_mem memory = buffers[k].get();
      check(clSetKernelArg(kernel.get(), k, sizeof memory, &memory), "clSetKernelArg");
    }
    check(clSetKernelArg(kernel.get(), 3, sizeof length, &length), "clSetKernelArg");
    check(clSetKernelArg(kernel.get(), 4, sizeof per, &per), "clSetKernelArg");
    const std::size_t all = n / 100;
    check(clEnqueueNDRangeKernel(queue.get(), kernel.get(), 1, nullptr, &all, nullptr, 0, nullptr,
                                 nullptr),
          "clEnqueueNDRangeKernel");
    check(clFinish(queue.get()), "clFinish");
  };
  costs.time("transfers in", [&] {
    for (std::size_t k = 0; k < 2; ++k)
      check(clEnqueueWriteBuffer(queue.get(), buffers[k].get(), CL_TRUE, 0, bytes, numbers.data(),
                                 0, nullptr, nullptr),
            "clEnqueueWriteBuffer");
  });
  costs.time("first launch", launch);
  costs.time("second launch", launch);
  std::vector<float> out(n);
  costs.time("transfer out", [&] {
    check(clEnqueueReadBuffer(queue.get(), buffers[2].get(), CL_TRUE, 0, bytes, out.data(), 0,
                              nullptr, nullptr),
          "clEnqueueReadBuffer");
  });
  costs.time("releases", [&] {
    kernel = {};
    program = {};
    buffers.clear();
    queue = {};
    context = {};
  });
  return costs;
}

}  // namespace

void print_api_costs(const Print& print, const std::vector<float>& numbers) {
  const Costs costs = vector_add(numbers);
  double all = 0;
  for (const auto& [kind, seconds] : costs.all()) all += seconds;
  for (const auto& [kind, seconds] : costs.all())
    print("cost of the API", kind, "share of VectorAdd 110000", seconds, seconds / all,
          kind == "platform and device" ? "platform, device and context over 0.8"
          : kind == "program"           ? "0.33 of the rest"
                                        : "");
}

}  // namespace blockyard::bench
