// SPDX-License-Identifier: Apache-2.0
#include "plugins/device_opencl/program.h"

#include <unistd.h>

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace blockyard::opencl {
namespace {

/// FNV-1a: tells sources and devices apart; it guards against nothing worse than chance.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

std::filesystem::path cached_file(const std::string& cache, cl_device_id device,
                                  const std::string& source, const std::string& options,
                                  const char* ending) {
  std::string key(source);
  // A part of a device has the name of the whole, and other shapes are best for its units.
  key += '\n' + std::to_string(property<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS));
  for (const cl_device_info part : {CL_DEVICE_NAME, CL_DEVICE_VERSION, CL_DRIVER_VERSION})
    key += '\n' + text_property(device, part);
  char name[32];
  std::snprintf(name, sizeof name, "%016" PRIx64 "%s", hash_of(key + '\n' + options), ending);
  return std::filesystem::path(cache) / name;
}

/// The hash of a binary, stored after it in its file. A driver is not to be trusted with a
/// file that was cut short or changed.
std::string seal(std::string_view binary) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64, hash_of(binary));
  return text;
}

/// A built program from a binary of an earlier process; nothing if there is none that serves.
Program load(cl_context context, cl_device_id device, const std::filesystem::path& file) {
  const std::string bytes = read_kept(file);
  if (bytes.empty()) return {};
  const std::size_t size = bytes.size();
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  cl_int code = CL_SUCCESS;
  Program program(clCreateProgramWithBinary(context, 1, &device, &size, &data, nullptr, &code));
  if (code != CL_SUCCESS) return {};
  if (clBuildProgram(program.get(), 1, &device, "", nullptr, nullptr) != CL_SUCCESS) return {};
  return program;
}

/// Leaves the binary for later processes. A cache that cannot be written is not an error.
void save(const Program& program, const std::filesystem::path& file) {
  std::size_t size = 0;
  if (clGetProgramInfo(program.get(), CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) !=
          CL_SUCCESS ||
      size == 0)
    return;
  std::string bytes(size, '\0');
  auto* data = reinterpret_cast<unsigned char*>(bytes.data());
  if (clGetProgramInfo(program.get(), CL_PROGRAM_BINARIES, sizeof data, &data, nullptr) !=
      CL_SUCCESS)
    return;
  keep(file, bytes);
}

std::string build_log(const Program& program, cl_device_id device) {
  std::size_t bytes = 0;
  clGetProgramBuildInfo(program.get(), device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
  std::string text(bytes, '\0');
  clGetProgramBuildInfo(program.get(), device, CL_PROGRAM_BUILD_LOG, bytes, text.data(), nullptr);
  return text;
}

Program build(cl_context context, cl_device_id device, const std::string& text,
              const std::string& options) {
  const char* source = text.c_str();
  cl_int code = CL_SUCCESS;
  Program program(clCreateProgramWithSource(context, 1, &source, nullptr, &code));
  check(code, "clCreateProgramWithSource");
  code = clBuildProgram(program.get(), 1, &device, options.c_str(), nullptr, nullptr);
  if (code == CL_BUILD_PROGRAM_FAILURE) throw BuildFailure(build_log(program, device));
  check(code, "clBuildProgram");
  return program;
}

}  // namespace

std::filesystem::path file_beside(cl_device_id device, const std::string& source,
                                  const std::string& options, const std::string& cache) {
  return cache.empty() ? std::filesystem::path()
                       : cached_file(cache, device, source, options, ".shapes");
}

std::string read_kept(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return {};
  std::string bytes(std::istreambuf_iterator<char>(stream), {});
  const std::size_t seal_bytes = seal({}).size();
  if (bytes.size() <= seal_bytes) return {};
  const std::size_t size = bytes.size() - seal_bytes;
  if (bytes.substr(size) != seal(std::string_view(bytes).substr(0, size))) return {};
  bytes.resize(size);
  return bytes;
}

void keep(const std::filesystem::path& file, const std::string& bytes) {
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  // No other process or thread of this one writes there.
  static std::atomic<unsigned> number = 0;
  const std::filesystem::path aside =
      file.string() + "." + std::to_string(::getpid()) + "." + std::to_string(number.fetch_add(1));
  std::ofstream stream(aside, std::ios::binary);
  stream << bytes << seal(bytes);
  stream.close();
  if (stream)
    std::filesystem::rename(aside, file, error);
  else
    std::filesystem::remove(aside, error);
}

Program build_program(cl_context context, cl_device_id device, const std::string& source,
                      const std::string& options, const std::string& cache) {
  if (cache.empty()) return build(context, device, source, options);
  const std::filesystem::path file = cached_file(cache, device, source, options, ".clbin");
  if (Program program = load(context, device, file)) return program;
  Program program = build(context, device, source, options);
  save(program, file);
  return program;
}

Kernel open_kernel(const Program& program, const char* name) {
  cl_int code = CL_SUCCESS;
  Kernel found(clCreateKernel(program.get(), name, &code));
  check(code, "clCreateKernel");
  return found;
}

}  // namespace blockyard::opencl
