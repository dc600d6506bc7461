// SPDX-License-Identifier: Apache-2.0
#include "bench/opencl/session.h"

#include <algorithm>
#include <stdexcept>

namespace blockyard::bench {

using opencl::check;

namespace {

cl_device_id first_device() {
  const auto devices = opencl::find_devices();
  if (devices.empty()) throw std::runtime_error("no OpenCL device");
  return devices.front();
}

template <class T>
void set(cl_kernel kernel, cl_uint position, const T& value) {
  check(clSetKernelArg(kernel, position, sizeof value, &value), "clSetKernelArg");
}

opencl::Kernel kernel_of(const opencl::Program& program, const char* name) {
  cl_int code = CL_SUCCESS;
  opencl::Kernel kernel(clCreateKernel(program.get(), name, &code));
  check(code, "clCreateKernel");
  return kernel;
}

std::vector<unsigned char> binary_of(const opencl::Program& program) {
  std::size_t size = 0;
  check(clGetProgramInfo(program.get(), CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr),
        "clGetProgramInfo");
  std::vector<unsigned char> bytes(size);
  unsigned char* data = bytes.data();
  check(clGetProgramInfo(program.get(), CL_PROGRAM_BINARIES, sizeof data, &data, nullptr),
        "clGetProgramInfo");
  return bytes;
}

}  // namespace

Session::Session() : device_(first_device()) {
  cl_int code = CL_SUCCESS;
  context_ = opencl::Context(clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code));
  check(code, "clCreateContext");
  queue_ = opencl::Queue(clCreateCommandQueue(context_.get(), device_, 0, &code));
  check(code, "clCreateCommandQueue");
}

std::string Session::name() const { return opencl::text_property(device_, CL_DEVICE_NAME); }

unsigned Session::units() const {
  return opencl::property<cl_uint>(device_, CL_DEVICE_MAX_COMPUTE_UNITS);
}

void Session::prepare(const Case& one, std::span<const float> a, std::span<const float> b) {
  const auto make = [&](std::span<const float> values) {
    cl_int code = CL_SUCCESS;
    opencl::Buffer made(clCreateBuffer(context_.get(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                       values.size_bytes(), nullptr, &code));
    check(code, "clCreateBuffer");
    check(clEnqueueWriteBuffer(queue_.get(), made.get(), CL_TRUE, 0, values.size_bytes(),
                               values.data(), 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
    return made;
  };
  a_ = make(a);
  b_ = make(b);
  out_ = make(std::vector<float>(std::max(one.elements, bins)));
}

void Session::clear(const Case& one) {
  if (one.results == 0 || one.sums_items) return;
  const cl_int zero = 0;
  check(clEnqueueFillBuffer(queue_.get(), out_.get(), &zero, sizeof zero, 0,
                            one.results * sizeof zero, 0, nullptr, nullptr),
        "clEnqueueFillBuffer");
}

void Session::enqueue(const Case& one, std::size_t per, std::optional<std::size_t> group) {
  clear(one);
  const opencl::Kernel kernel = kernel_of(program_, one.name);
  const cl_mem memory[3] = {a_.get(), b_.get(), out_.get()};
  for (cl_uint k = 0; k < 3; ++k) set(kernel.get(), k, memory[k]);
  set(kernel.get(), 3, static_cast<cl_ulong>(one.elements));
  set(kernel.get(), 4, static_cast<cl_ulong>(per));
  const std::size_t all = items(one, per);
  check(clEnqueueNDRangeKernel(queue_.get(), kernel.get(), 1, nullptr, &all,
                               group ? &*group : nullptr, 0, nullptr, nullptr),
        "clEnqueueNDRangeKernel");
}

void Session::run(const Case& one, std::size_t per, std::optional<std::size_t> group) {
  enqueue(one, per, group);
  check(clFinish(queue_.get()), "clFinish");
}

void Session::run_copied(const Case& one, std::size_t per, std::span<const float> a,
                         std::span<const float> b, std::span<float> out) {
  const std::pair<cl_mem, std::span<const float>> operands[2] = {{a_.get(), a}, {b_.get(), b}};
  for (const auto& [memory, values] : operands)
    check(clEnqueueWriteBuffer(queue_.get(), memory, CL_FALSE, 0, values.size_bytes(),
                               values.data(), 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
  enqueue(one, per, {});
  check(clEnqueueReadBuffer(queue_.get(), out_.get(), CL_TRUE, 0, out.size_bytes(), out.data(), 0,
                            nullptr, nullptr),
        "clEnqueueReadBuffer");
}

/// The program has its values where the device reads them, and reads results where they are: here
/// they are there already, and no data moves.
void Session::run_mapped(const Case& one, std::size_t per, std::span<const float> a,
                         std::span<const float> b, std::span<float> out) {
  const auto map = [&](cl_mem memory, cl_map_flags flags, std::size_t bytes) {
    cl_int code = CL_SUCCESS;
    void* at = clEnqueueMapBuffer(queue_.get(), memory, CL_TRUE, flags, 0, bytes, 0, nullptr,
                                  nullptr, &code);
    check(code, "clEnqueueMapBuffer");
    check(clEnqueueUnmapMemObject(queue_.get(), memory, at, 0, nullptr, nullptr),
          "clEnqueueUnmapMemObject");
  };
  map(a_.get(), CL_MAP_WRITE, a.size_bytes());
  map(b_.get(), CL_MAP_WRITE, b.size_bytes());
  enqueue(one, per, {});
  map(out_.get(), CL_MAP_READ, out.size_bytes());
  check(clFinish(queue_.get()), "clFinish");
}

std::vector<float> Session::results(const Case& one, std::size_t per) {
  std::size_t count = one.results == 0 ? one.elements : one.results;
  if (one.sums_items) count = items(one, per);
  std::vector<float> values(count);
  check(clEnqueueReadBuffer(queue_.get(), out_.get(), CL_TRUE, 0, count * sizeof(float),
                            values.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
  if (one.results == bins)
    for (float& value : values) {
      cl_int bits = 0;
      std::copy_n(reinterpret_cast<const std::byte*>(&value), sizeof bits,
                  reinterpret_cast<std::byte*>(&bits));
      value = static_cast<float>(bits);
    }
  return values;
}

std::vector<unsigned char> Session::build(const std::vector<unsigned char>& binary) {
  const char* source = kernel_source();
  const unsigned char* data = binary.data();
  const std::size_t size = binary.size();
  cl_int code = CL_SUCCESS;
  program_ = opencl::Program(
      binary.empty()
          ? clCreateProgramWithSource(context_.get(), 1, &source, nullptr, &code)
          : clCreateProgramWithBinary(context_.get(), 1, &device_, &size, &data, nullptr, &code));
  check(code, "to create a program");
  check(clBuildProgram(program_.get(), 1, &device_, "-cl-std=CL1.2", nullptr, nullptr),
        "clBuildProgram");
  for (Case one : cases()) {
    one.elements = 64;
    run(one, 1, {});
  }
  return binary_of(program_);
}

}  // namespace blockyard::bench
