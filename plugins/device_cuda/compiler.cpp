// SPDX-License-Identifier: Apache-2.0
#include "plugins/device_cuda/compiler.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>
#include <vector>

namespace blockyard::cuda {
namespace {

/// Takes functions out of a library; false once one is not there.
class Taken {
 public:
  explicit Taken(void* library) : library_(library), is_whole_(library != nullptr) {}
  template <class Function>
  void operator()(Function& function, const char* name) {
    void* const found = library_ == nullptr ? nullptr : dlsym(library_, name);
    function = reinterpret_cast<Function>(found);
    is_whole_ = is_whole_ && found != nullptr;
  }
  [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }

 private:
  void* library_;
  bool is_whole_;
};

/// It stays: what it has registered with the driver does not end before the process.
void* open_first(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (void* const found = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) return found;
  return nullptr;
}

}  // namespace

std::optional<TextCompiler> TextCompiler::find() {
  // The driver may be older than the newest compiler here: that of our toolkit comes first.
  const std::string ours = "libnvrtc.so." + std::to_string(CUDA_VERSION / 1000);
  TextCompiler compiler{};
  Taken take(open_first({ours.c_str(), "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}));
  take(compiler.create, "nvrtcCreateProgram");
  take(compiler.destroy, "nvrtcDestroyProgram");
  take(compiler.compile, "nvrtcCompileProgram");
  take(compiler.log_size, "nvrtcGetProgramLogSize");
  take(compiler.log, "nvrtcGetProgramLog");
  take(compiler.ptx_size, "nvrtcGetPTXSize");
  take(compiler.ptx, "nvrtcGetPTX");
  take(compiler.cubin_size, "nvrtcGetCUBINSize");
  take(compiler.cubin, "nvrtcGetCUBIN");
  take(compiler.count, "nvrtcGetNumSupportedArchs");
  take(compiler.architectures, "nvrtcGetSupportedArchs");
  return take.is_whole() ? std::optional(compiler) : std::nullopt;
}

std::string with_line_numbers(const std::string& log, const std::string& name) {
  std::string made;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size() - 1) + 1;
    std::string line = log.substr(at, end - at);
    const std::size_t close = line.find("):");
    if (line.starts_with(name + "(") && close != std::string::npos)
      line = name + ":" + line.substr(name.size() + 1, close - name.size() - 1) +
             line.substr(close + 1);
    made += line;
    at = end;
  }
  return made;
}

std::string TextCompiler::compile_text(const std::string& text, const std::string& name,
                                       int capability) const {
  constexpr int success = 0;
  int known_count = 0;
  if (count(&known_count) != success || known_count == 0)
    throw std::runtime_error("nvrtcGetNumSupportedArchs failed");
  std::vector<int> known(static_cast<std::size_t>(known_count));
  if (architectures(known.data()) != success)
    throw std::runtime_error("nvrtcGetSupportedArchs failed");
  const bool is_known = std::ranges::find(known, capability) != known.end();
  int latest = known.front();  // that this GPU is not older than
  for (const int one : known)
    if (one <= capability) latest = std::max(latest, one);
  Program* raw = nullptr;
  if (create(&raw, text.c_str(), name.c_str(), 0, nullptr, nullptr) != success)
    throw std::runtime_error("nvrtcCreateProgram failed");
  const auto end = [this](Program* program) { destroy(&program); };
  const std::unique_ptr<Program, decltype(end)> program(raw, end);
  const std::string target =
      "--gpu-architecture=" +
      (is_known ? "sm_" + std::to_string(capability) : "compute_" + std::to_string(latest));
  const std::array options = {target.c_str(), "--std=c++17"};
  const bool is_built = compile(raw, static_cast<int>(options.size()), options.data()) == success;
  const auto read = [&](auto size_of, auto copy) {
    std::size_t size = 0;
    if (size_of(raw, &size) != success || size == 0) return std::string();
    std::string made(size, '\0');
    if (copy(raw, made.data()) != success) return std::string();
    return made;
  };
  if (!is_built) throw BuildFailure(with_line_numbers(read(log_size, log).c_str(), name));
  return is_known ? read(cubin_size, cubin) : read(ptx_size, ptx);
}

Driver Driver::find() {
  Driver driver{};
  Taken take(open_first({"libcuda.so.1"}));
  take(driver.load, "cuModuleLoadDataEx");
  take(driver.unload, "cuModuleUnload");
  take(driver.function, "cuModuleGetFunction");
  take(driver.attribute, "cuFuncGetAttribute");
  take(driver.launch, "cuLaunchKernel");
  take(driver.error_string, "cuGetErrorString");
  if (!take.is_whole()) throw std::runtime_error("the driver of CUDA has no modules");
  return driver;
}

void Driver::check(CUresult code, const char* call) const {
  if (code == CUDA_SUCCESS) return;
  const char* text = nullptr;
  error_string(code, &text);
  throw std::runtime_error(std::string(call) + " failed: " + (text == nullptr ? "" : text));
}

LoadedFunction::LoadedFunction(const Driver& driver, const std::string& code,
                               const std::string& entry)
    : unload_(driver.unload) {
  std::array<char, 4096> log{};
  std::array options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size())};
  const CUresult loaded = driver.load(&module_, code.c_str(), static_cast<unsigned>(options.size()),
                                      options.data(), values.data());
  // What does not even begin as code is an invalid image.
  if (loaded == CUDA_ERROR_INVALID_PTX || loaded == CUDA_ERROR_INVALID_IMAGE ||
      loaded == CUDA_ERROR_NO_BINARY_FOR_GPU || loaded == CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
    throw BuildFailure(log[0] == '\0' ? "the driver does not take the code" : log.data());
  driver.check(loaded, "cuModuleLoadDataEx");
  if (driver.function(&function_, module_, entry.c_str()) == CUDA_SUCCESS) return;
  driver.unload(module_);
  throw BuildFailure("it has no kernel '" + entry + "'");
}

}  // namespace blockyard::cuda
