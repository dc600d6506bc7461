// SPDX-License-Identifier: Apache-2.0
#include "bench/opencl/runtime.h"

#include <algorithm>
#include <stdexcept>

#include "bench/opencl/published_kernels.h"

namespace blockyard::bench {

using opencl::check;

Argument Argument::local(std::size_t bytes) {
  Argument made;
  made.size = bytes;
  made.is_local = true;
  return made;
}

Runtime::Runtime() {
  const auto devices = opencl::find_devices();
  if (devices.empty()) throw std::runtime_error("there is no OpenCL device");
  device_ = devices.front();
  cl_int code = CL_SUCCESS;
  context_ = opencl::Context(clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code));
  check(code, "clCreateContext");
  queue_ = opencl::Queue(clCreateCommandQueue(context_.get(), device_, 0, &code));
  check(code, "clCreateCommandQueue");
  const char* source = published_kernels;
  program_ = opencl::Program(clCreateProgramWithSource(context_.get(), 1, &source, nullptr, &code));
  check(code, "clCreateProgramWithSource");
  check(clBuildProgram(program_.get(), 1, &device_, "-cl-std=CL1.2", nullptr, nullptr),
        "clBuildProgram");
}

std::string Runtime::name() const { return opencl::text_property(device_, CL_DEVICE_NAME); }

unsigned Runtime::units() const {
  return opencl::property<cl_uint>(device_, CL_DEVICE_MAX_COMPUTE_UNITS);
}

opencl::Buffer Runtime::buffer(std::size_t bytes, cl_mem_flags flags) {
  cl_int code = CL_SUCCESS;
  opencl::Buffer made(clCreateBuffer(context_.get(), flags, bytes, nullptr, &code));
  check(code, "clCreateBuffer");
  return made;
}

opencl::Buffer Runtime::buffer(std::span<const float> values) {
  opencl::Buffer made = buffer(values.size_bytes());
  write(made, values);
  return made;
}

void Runtime::write(const opencl::Buffer& to, std::span<const float> values) {
  check(clEnqueueWriteBuffer(queue_.get(), to.get(), CL_TRUE, 0, values.size_bytes(), values.data(),
                             0, nullptr, nullptr),
        "clEnqueueWriteBuffer");
}

std::vector<float> Runtime::read(const opencl::Buffer& from, std::size_t count) {
  std::vector<float> values(count);
  check(clEnqueueReadBuffer(queue_.get(), from.get(), CL_TRUE, 0, count * sizeof(float),
                            values.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
  return values;
}

void Runtime::map(const opencl::Buffer& buffer, cl_map_flags flags, std::size_t bytes) {
  cl_int code = CL_SUCCESS;
  void* at = clEnqueueMapBuffer(queue_.get(), buffer.get(), CL_TRUE, flags, 0, bytes, 0, nullptr,
                                nullptr, &code);
  check(code, "clEnqueueMapBuffer");
  check(clEnqueueUnmapMemObject(queue_.get(), buffer.get(), at, 0, nullptr, nullptr),
        "clEnqueueUnmapMemObject");
  check(clFinish(queue_.get()), "clFinish");
}

void Runtime::run(const std::string& kernel, const std::vector<Argument>& arguments, Extents items,
                  std::optional<Extents> group) {
  cl_int code = CL_SUCCESS;
  const opencl::Kernel made(clCreateKernel(program_.get(), kernel.c_str(), &code));
  check(code, "clCreateKernel");
  for (cl_uint k = 0; k < arguments.size(); ++k)
    check(clSetKernelArg(made.get(), k, arguments[k].size,
                         arguments[k].is_local ? nullptr : arguments[k].bytes.data()),
          "clSetKernelArg");
  const cl_uint order = items[1] == 0 ? 1 : 2;
  check(clEnqueueNDRangeKernel(queue_.get(), made.get(), order, nullptr, items.data(),
                               group ? group->data() : nullptr, 0, nullptr, nullptr),
        "clEnqueueNDRangeKernel");
  check(clFinish(queue_.get()), "clFinish");
}

}  // namespace blockyard::bench
