// SPDX-License-Identifier: Apache-2.0
#include "plugins/device_opencl/kernels.h"

#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "blockyard/device/abi.h"
#include "plugins/device_opencl/kernels_source.h"

namespace blockyard::opencl {
namespace {

/// Vectors as wide as the device's own, and as many columns as leave registers for the operands:
/// 32 vector registers where they have 64 bytes, 16 where they are shorter. A device that is no CPU
/// gets a small tile, since each of its work items has few registers.
Tile choose_tile(cl_device_id device, std::uint32_t element) {
  if (element != BLOCKYARD_F32 && element != BLOCKYARD_F64) return {};
  const bool is_double = element == BLOCKYARD_F64;
  if ((property<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) == 0)
    return {2, 4, 4};
  const auto native = property<cl_uint>(device, is_double ? CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE
                                                          : CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
  const std::int64_t lanes = std::clamp<std::int64_t>(native, 2, 16);
  const bool is_wide = lanes * (is_double ? 8 : 4) >= 64;
  return {lanes, 2 * lanes, is_wide ? 12 : 6};
}

std::string options_for(std::uint32_t element, const Tile& tile) {
  const bool is_double = element == BLOCKYARD_F64 || element == BLOCKYARD_C128;
  const std::string real = is_double ? "double" : "float";
  const std::string lanes = std::to_string(tile.lanes);
  std::string options = "-cl-std=CL1.2 -DR=" + real;
  if (tile.rows == 0) return options + " -DCOMPLEX=1 -DW=1 -DNR=1";
  return options + " -DCOMPLEX=0 -DW=" + lanes + " -DV=" + real + lanes + " -DVLOAD=vload" + lanes +
         " -DVSTORE=vstore" + lanes + " -DNR=" + std::to_string(tile.columns);
}

/// FNV-1a: tells sources and devices apart; it guards against nothing worse than chance.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

std::filesystem::path cached_file(const std::string& cache, cl_device_id device,
                                  const std::string& options) {
  std::string key(kernels_source);
  for (const cl_device_info part : {CL_DEVICE_NAME, CL_DEVICE_VERSION, CL_DRIVER_VERSION})
    key += '\n' + text_property(device, part);
  char name[32];
  std::snprintf(name, sizeof name, "%016" PRIx64 ".clbin", hash_of(key + '\n' + options));
  return std::filesystem::path(cache) / name;
}

/// The hash of a binary, as it stands behind it in its file. A driver is not to be trusted with a
/// file that was cut short or changed.
std::string seal(std::string_view binary) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64, hash_of(binary));
  return text;
}

/// A built program from a binary of an earlier process; nothing if there is none that serves.
Program load(cl_context context, cl_device_id device, const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return {};
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  const std::size_t seal_bytes = seal({}).size();
  if (bytes.size() <= seal_bytes) return {};
  const std::size_t size = bytes.size() - seal_bytes;
  if (bytes.substr(size) != seal(std::string_view(bytes).substr(0, size))) return {};
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  cl_int code = CL_SUCCESS;
  Program program(clCreateProgramWithBinary(context, 1, &device, &size, &data, nullptr, &code));
  if (code != CL_SUCCESS) return {};
  if (clBuildProgram(program.get(), 1, &device, "", nullptr, nullptr) != CL_SUCCESS) return {};
  return program;
}

/// Leaves the binary for later processes. A cache that cannot be written is no error.
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
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  const std::filesystem::path aside = file.string() + "." + std::to_string(::getpid());
  std::ofstream stream(aside, std::ios::binary);
  stream << bytes << seal(bytes);
  stream.close();
  if (stream)
    std::filesystem::rename(aside, file, error);
  else
    std::filesystem::remove(aside, error);
}

std::string build_log(const Program& program, cl_device_id device) {
  std::size_t bytes = 0;
  clGetProgramBuildInfo(program.get(), device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
  std::string text(bytes, '\0');
  clGetProgramBuildInfo(program.get(), device, CL_PROGRAM_BUILD_LOG, bytes, text.data(), nullptr);
  return text;
}

Program build(cl_context context, cl_device_id device, const std::string& options) {
  const char* source = kernels_source;
  cl_int code = CL_SUCCESS;
  Program program(clCreateProgramWithSource(context, 1, &source, nullptr, &code));
  check(code, "clCreateProgramWithSource");
  code = clBuildProgram(program.get(), 1, &device, options.c_str(), nullptr, nullptr);
  if (code == CL_BUILD_PROGRAM_FAILURE)
    throw std::runtime_error("the kernels do not build for this device: " +
                             build_log(program, device));
  check(code, "clBuildProgram");
  return program;
}

Kernel kernel(const Program& program, const char* name) {
  cl_int code = CL_SUCCESS;
  Kernel found(clCreateKernel(program.get(), name, &code));
  check(code, "clCreateKernel");
  return found;
}

}  // namespace

Kernels build_kernels(cl_context context, cl_device_id device, std::uint32_t element,
                      const std::string& cache) {
  Kernels result;
  result.tile = choose_tile(device, element);
  const std::string options = options_for(element, result.tile);
  const auto file = cache.empty() ? std::filesystem::path() : cached_file(cache, device, options);
  if (!file.empty()) result.program = load(context, device, file);
  if (!result.program) {
    result.program = build(context, device, options);
    if (!file.empty()) save(result.program, file);
  }
  result.permute = kernel(result.program, "permute");
  result.contract_plain = kernel(result.program, "contract_plain");
  result.dot = kernel(result.program, "dot_all");
  if (result.tile.rows > 0) {
    result.pack = kernel(result.program, "pack");
    result.multiply = kernel(result.program, "multiply");
  }
  return result;
}

}  // namespace blockyard::opencl
