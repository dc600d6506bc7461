// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program that uses OpenCL: how often it calls what, and how long that takes. At
// the end a line of JSON for each kind of call goes to the file that OPENCL_CALLS names.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace {

enum Kind {
  platform,
  device,
  context,
  queue,
  memory,
  program,
  kernel,
  launch,
  transfer,
  wait,
  release,
  kinds
};
constexpr std::array<const char*, kinds> names = {"platform", "device",  "context", "queue",
                                                  "memory",   "program", "kernel",  "launch",
                                                  "transfer", "wait",    "release"};

class Counts {
 public:
  void add(Kind kind, double seconds) {
    const std::lock_guard lock(mutex_);
    ++calls_[kind];
    seconds_[kind] += seconds;
  }
  ~Counts() {
    const char* const path = std::getenv("OPENCL_CALLS");
    std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "w");
    if (file == nullptr) return;
    for (int k = 0; k < kinds; ++k)
      std::fprintf(file, "{\"kind\": \"%s\", \"calls\": %ld, \"seconds\": %.9f}\n", names[k],
                   calls_[k], seconds_[k]);
    std::fclose(file);
  }

 private:
  std::mutex mutex_;
  std::array<long, kinds> calls_{};
  std::array<double, kinds> seconds_{};
};

Counts counts;
thread_local int depth =
    0;  ///< a driver may call such functions itself: they belong to the outer call

/// Calls the function of this name of the library itself.
template <class Result, class... Parameters, class... Arguments>
Result timed(Kind kind, const char* name, Result (*)(Parameters...), Arguments... arguments) {
  // A plug-in's own copy of the library is not among those after this one.
  static void* const library = dlopen("libOpenCL.so.1", RTLD_LAZY);
  const auto next = reinterpret_cast<Result (*)(Parameters...)>(dlsym(library, name));
  const auto begin = std::chrono::steady_clock::now();
  ++depth;
  const Result result = next(arguments...);
  --depth;
  if (depth == 0)
    counts.add(kind,
               std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return result;
}

}  // namespace

extern "C" {

cl_int clGetPlatformIDs(cl_uint n, cl_platform_id* all, cl_uint* count) {
  return timed(platform, "clGetPlatformIDs", clGetPlatformIDs, n, all, count);
}
cl_int clGetDeviceIDs(cl_platform_id of, cl_device_type type, cl_uint n, cl_device_id* all,
                      cl_uint* count) {
  return timed(device, "clGetDeviceIDs", clGetDeviceIDs, of, type, n, all, count);
}
cl_int clGetDeviceInfo(cl_device_id of, cl_device_info name, size_t n, void* value, size_t* size) {
  return timed(device, "clGetDeviceInfo", clGetDeviceInfo, of, name, n, value, size);
}
cl_context clCreateContext(const cl_context_properties* properties, cl_uint n,
                           const cl_device_id* all,
                           void(CL_CALLBACK* note)(const char*, const void*, size_t, void*),
                           void* data, cl_int* code) {
  return timed(context, "clCreateContext", clCreateContext, properties, n, all, note, data, code);
}
cl_command_queue clCreateCommandQueue(cl_context of, cl_device_id on, cl_command_queue_properties p,
                                      cl_int* code) {
  return timed(queue, "clCreateCommandQueue", clCreateCommandQueue, of, on, p, code);
}
cl_mem clCreateBuffer(cl_context of, cl_mem_flags flags, size_t bytes, void* host, cl_int* code) {
  return timed(memory, "clCreateBuffer", clCreateBuffer, of, flags, bytes, host, code);
}
cl_program clCreateProgramWithSource(cl_context of, cl_uint n, const char** texts,
                                     const size_t* sizes, cl_int* code) {
  return timed(program, "clCreateProgramWithSource", clCreateProgramWithSource, of, n, texts, sizes,
               code);
}
cl_program clCreateProgramWithBinary(cl_context of, cl_uint n, const cl_device_id* all,
                                     const size_t* sizes, const unsigned char** bytes,
                                     cl_int* states, cl_int* code) {
  return timed(program, "clCreateProgramWithBinary", clCreateProgramWithBinary, of, n, all, sizes,
               bytes, states, code);
}
cl_int clBuildProgram(cl_program of, cl_uint n, const cl_device_id* all, const char* options,
                      void(CL_CALLBACK* note)(cl_program, void*), void* data) {
  return timed(program, "clBuildProgram", clBuildProgram, of, n, all, options, note, data);
}
cl_int clGetProgramInfo(cl_program of, cl_program_info name, size_t n, void* value, size_t* size) {
  return timed(program, "clGetProgramInfo", clGetProgramInfo, of, name, n, value, size);
}
cl_kernel clCreateKernel(cl_program of, const char* name, cl_int* code) {
  return timed(kernel, "clCreateKernel", clCreateKernel, of, name, code);
}
cl_int clSetKernelArg(cl_kernel of, cl_uint n, size_t bytes, const void* value) {
  return timed(kernel, "clSetKernelArg", clSetKernelArg, of, n, bytes, value);
}
cl_int clEnqueueNDRangeKernel(cl_command_queue on, cl_kernel of, cl_uint order, const size_t* begin,
                              const size_t* items, const size_t* group, cl_uint n,
                              const cl_event* before, cl_event* done) {
  return timed(launch, "clEnqueueNDRangeKernel", clEnqueueNDRangeKernel, on, of, order, begin,
               items, group, n, before, done);
}
cl_int clEnqueueReadBuffer(cl_command_queue on, cl_mem from, cl_bool blocks, size_t at,
                           size_t bytes, void* to, cl_uint n, const cl_event* before,
                           cl_event* done) {
  return timed(transfer, "clEnqueueReadBuffer", clEnqueueReadBuffer, on, from, blocks, at, bytes,
               to, n, before, done);
}
cl_int clEnqueueWriteBuffer(cl_command_queue on, cl_mem to, cl_bool blocks, size_t at, size_t bytes,
                            const void* from, cl_uint n, const cl_event* before, cl_event* done) {
  return timed(transfer, "clEnqueueWriteBuffer", clEnqueueWriteBuffer, on, to, blocks, at, bytes,
               from, n, before, done);
}
cl_int clEnqueueFillBuffer(cl_command_queue on, cl_mem to, const void* pattern, size_t size,
                           size_t at, size_t bytes, cl_uint n, const cl_event* before,
                           cl_event* done) {
  return timed(transfer, "clEnqueueFillBuffer", clEnqueueFillBuffer, on, to, pattern, size, at,
               bytes, n, before, done);
}
cl_int clWaitForEvents(cl_uint n, const cl_event* all) {
  return timed(wait, "clWaitForEvents", clWaitForEvents, n, all);
}
cl_int clFlush(cl_command_queue of) { return timed(wait, "clFlush", clFlush, of); }
cl_int clFinish(cl_command_queue of) { return timed(wait, "clFinish", clFinish, of); }
cl_int clReleaseMemObject(cl_mem of) {
  return timed(release, "clReleaseMemObject", clReleaseMemObject, of);
}
cl_int clReleaseKernel(cl_kernel of) {
  return timed(release, "clReleaseKernel", clReleaseKernel, of);
}
cl_int clReleaseProgram(cl_program of) {
  return timed(release, "clReleaseProgram", clReleaseProgram, of);
}
cl_int clReleaseEvent(cl_event of) { return timed(release, "clReleaseEvent", clReleaseEvent, of); }
cl_int clReleaseCommandQueue(cl_command_queue of) {
  return timed(release, "clReleaseCommandQueue", clReleaseCommandQueue, of);
}
cl_int clReleaseContext(cl_context of) {
  return timed(release, "clReleaseContext", clReleaseContext, of);
}

}  // extern "C"
