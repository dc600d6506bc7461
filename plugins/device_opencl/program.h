// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "plugins/device_opencl/opencl.h"

namespace blockyard::opencl {

/// A text that does not compile; what() is the log of the compiler.
class BuildFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Builds a text, or takes the binary that an earlier process left in the folder `cache` (empty:
/// none), where it is kept by source, options, device and driver. A file that was cut short,
/// changed or made by another driver is not used. Throws Failure, BuildFailure.
[[nodiscard]] Program build_program(cl_context context, cl_device_id device,
                                    const std::string& source, const std::string& options,
                                    const std::string& cache);

/// The file of what is known of such a program besides its binary, next to that one.
[[nodiscard]] std::filesystem::path file_beside(cl_device_id device, const std::string& source,
                                                const std::string& options,
                                                const std::string& cache);
/// What such a file holds; empty: nothing, or it was cut short or changed.
[[nodiscard]] std::string read_kept(const std::filesystem::path& file);
/// Replaces the file as a whole. Where that fails it stays as it is.
void keep(const std::filesystem::path& file, const std::string& bytes);

[[nodiscard]] Kernel open_kernel(const Program& program, const char* name);

}  // namespace blockyard::opencl
