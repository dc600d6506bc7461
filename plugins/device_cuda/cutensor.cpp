// SPDX-License-Identifier: Apache-2.0
#include "plugins/device_cuda/cutensor.h"

#include <dlfcn.h>

#include <stdexcept>

#include "plugins/common/operation.h"
#include "plugins/device_cuda/steps.h"

namespace blockyard::cuda {
namespace {

// Values of its enumerations.
constexpr int success = 0;
constexpr int keep = 1, conjugate = 9;
constexpr const void* no_preference = nullptr;
constexpr int scalar_type = 1;         // of an operation
constexpr int required_workspace = 0;  // of a plan

cudaDataType_t type_of(std::uint32_t element) {
  constexpr std::array types = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};
  return types[element];
}

/// Makes a thing by a function that gives it through its second argument; null if it fails.
template <class Raw, class Make, class... Arguments>
Owned<Raw> make(const Make& create, int (*destroy)(Raw*), const cutensorHandle* handle,
                const Arguments&... arguments) {
  Raw* raw = nullptr;
  if (create(handle, &raw, arguments...) != success) raw = nullptr;
  return Owned<Raw>(raw, {destroy});
}

}  // namespace

std::optional<CutensorLibrary> CutensorLibrary::find() {
  // It stays: what it has registered with the driver does not end before the process.
  void* const opened = dlopen("libcutensor.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (opened == nullptr) return std::nullopt;
  CutensorLibrary library{};
  bool is_whole = true;
  const auto take = [&](auto& member, const char* name) {
    void* const found = dlsym(opened, name);
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(found);
    is_whole = is_whole && found != nullptr;
  };
  take(library.version, "cutensorGetVersion");
  take(library.error_string, "cutensorGetErrorString");
  take(library.create, "cutensorCreate");
  take(library.destroy, "cutensorDestroy");
  take(library.create_tensor, "cutensorCreateTensorDescriptor");
  take(library.destroy_tensor, "cutensorDestroyTensorDescriptor");
  take(library.create_contraction, "cutensorCreateContraction");
  take(library.create_permutation, "cutensorCreatePermutation");
  take(library.destroy_operation, "cutensorDestroyOperationDescriptor");
  take(library.operation_attribute, "cutensorOperationDescriptorGetAttribute");
  take(library.create_plan, "cutensorCreatePlan");
  take(library.destroy_plan, "cutensorDestroyPlan");
  take(library.plan_attribute, "cutensorPlanGetAttribute");
  take(library.contract, "cutensorContract");
  take(library.permute, "cutensorPermute");
  take(library.compute_32f, "CUTENSOR_COMPUTE_DESC_32F");
  take(library.compute_64f, "CUTENSOR_COMPUTE_DESC_64F");
  if (!is_whole || library.version() / 10000 != 2) return std::nullopt;
  return library;
}

std::optional<Cutensor> Cutensor::open() {
  const auto library = CutensorLibrary::find();
  if (!library) return std::nullopt;
  Cutensor made;
  made.library_ = *library;
  cutensorHandle* handle = nullptr;
  if (library->create(&handle) != success) return std::nullopt;
  made.handle_ = Owned<cutensorHandle>(handle, {library->destroy});
  return made;
}

std::string Cutensor::version() const {
  const std::size_t all = library_.version();
  return std::to_string(all / 10000) + "." + std::to_string(all / 100 % 100) + "." +
         std::to_string(all % 100);
}

std::optional<TensorPlan> Cutensor::plan(const blockyard_operation& operation,
                                         std::uint64_t workspace_limit) const {
  const cutensorHandle* const handle = handle_.get();
  const cudaDataType_t type = type_of(operation.element);
  const bool is_double = type == CUDA_R_64F || type == CUDA_C_64F;
  const cutensorComputeDescriptor* compute =
      is_double ? *library_.compute_64f : *library_.compute_32f;
  const blockyard_operand &result = operation.result, &left = operation.left,
                          &right = operation.right;
  const bool has_right = plugin::has_right(operation);
  const auto tensor = [&](const blockyard_operand& one) {
    const std::int64_t* const dense = nullptr;
    return make(library_.create_tensor, library_.destroy_tensor, handle, one.order, one.extent,
                dense, type, std::uint32_t{alignment});
  };
  const auto change = [&](std::size_t side) {
    return conjugates(operation, side) ? conjugate : keep;
  };
  TensorPlan made{{tensor(result), tensor(left), tensor(has_right ? right : left)}, {}, {}};
  const auto& [c, a, b] = made.tensors;
  if (!a || !b || !c) return std::nullopt;
  made.operation =
      has_right
          ? make(library_.create_contraction, library_.destroy_operation, handle, a.get(),
                 left.name, change(plugin::of_left), b.get(), right.name, change(plugin::of_right),
                 c.get(), result.name, keep, c.get(), result.name, compute)
          : make(library_.create_permutation, library_.destroy_operation, handle, a.get(),
                 left.name, change(plugin::of_left), c.get(), result.name, compute);
  cudaDataType_t factors{};
  if (!made.operation || library_.operation_attribute(handle, made.operation.get(), scalar_type,
                                                      &factors, sizeof factors) != success)
    return std::nullopt;
  if (factors != type) return std::nullopt;  // ours would be read wrongly
  made.plan = make(library_.create_plan, library_.destroy_plan, handle, made.operation.get(),
                   no_preference, workspace_limit);
  if (!made.plan) return std::nullopt;
  if (has_right &&
      library_.plan_attribute(handle, made.plan.get(), required_workspace, &made.workspace_bytes,
                              sizeof made.workspace_bytes) != success)
    return std::nullopt;
  if (made.workspace_bytes > workspace_limit) return std::nullopt;
  return made;
}

void Cutensor::contract(const TensorPlan& plan, const void* alpha, const void* beta,
                        const Blocks& blocks, CUstream_st* stream) const {
  check(library_.contract(handle_.get(), plan.plan.get(), alpha, blocks.left, blocks.right, beta,
                          blocks.result, blocks.result, blocks.workspace, plan.workspace_bytes,
                          stream),
        "cutensorContract");
}

void Cutensor::permute(const TensorPlan& plan, const void* alpha, const Blocks& blocks,
                       CUstream_st* stream) const {
  check(library_.permute(handle_.get(), plan.plan.get(), alpha, blocks.left, blocks.result, stream),
        "cutensorPermute");
}

void Cutensor::check(int status, const char* call) const {
  if (status != success)
    throw std::runtime_error(std::string(call) + " failed: " + library_.error_string(status));
}

}  // namespace blockyard::cuda
