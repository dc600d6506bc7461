// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <optional>
#include <stdexcept>
#include <string>

/// Kernels at run time: texts by NVRTC, where it is found, and PTX by the driver. Neither is needed
/// to build or to load the plug-in.
namespace blockyard::cuda {

/// A text that does not compile; what() is the log of the compiler.
class BuildFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The part of NVRTC's C interface that is used; statuses are enumerations there.
struct TextCompiler {
  struct Program;
  int (*create)(Program**, const char* text, const char* name, int headers, const char* const*,
                const char* const*);
  int (*destroy)(Program**);
  int (*compile)(Program*, int options, const char* const*);
  int (*log_size)(Program*, std::size_t*);
  int (*log)(Program*, char*);
  int (*ptx_size)(Program*, std::size_t*);
  int (*ptx)(Program*, char*);
  int (*cubin_size)(Program*, std::size_t*);
  int (*cubin)(Program*, char*);
  int (*count)(int*);
  int (*architectures)(int*);

  /// Nothing without a libnvrtc that has all of it.
  [[nodiscard]] static std::optional<TextCompiler> find();
  /// The code of a text for a compute capability such as 90: a binary, which needs no driver as new
  /// as the compiler, or, for GPUs that are newer than the compiler, PTX. `name` stands before its
  /// lines in messages. Throws BuildFailure.
  [[nodiscard]] std::string compile_text(const std::string& text, const std::string& name,
                                         int capability) const;
};

/// The part of the driver's interface that is used.
struct Driver {
  decltype(&cuModuleLoadDataEx) load;
  decltype(&cuModuleUnload) unload;
  decltype(&cuModuleGetFunction) function;
  decltype(&cuFuncGetAttribute) attribute;
  decltype(&cuLaunchKernel) launch;
  decltype(&cuGetErrorString) error_string;

  /// Throws std::runtime_error without a driver that has all of it.
  [[nodiscard]] static Driver find();
  void check(CUresult code, const char* call) const;
};

/// A function of a module that was loaded into the context of this thread; ended in that context.
class LoadedFunction {
 public:
  /// Throws BuildFailure with the log of the driver if the code, PTX or a binary, is wrong or has
  /// no such kernel.
  LoadedFunction(const Driver& driver, const std::string& code, const std::string& entry);
  ~LoadedFunction() {
    if (module_ != nullptr) unload_(module_);
  }
  LoadedFunction(const LoadedFunction&) = delete;
  LoadedFunction& operator=(const LoadedFunction&) = delete;

  [[nodiscard]] CUfunction get() const noexcept { return function_; }

 private:
  decltype(&cuModuleUnload) unload_;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
};

/// Messages of NVRTC, which begin with NAME(LINE), as other compilers begin them: NAME:LINE.
[[nodiscard]] std::string with_line_numbers(const std::string& log, const std::string& name);

}  // namespace blockyard::cuda
