// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <library_types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "blockyard/device/abi.h"

struct CUstream_st;
struct cutensorComputeDescriptor;
struct cutensorHandle;
struct cutensorOperationDescriptor;
struct cutensorPlan;
struct cutensorTensorDescriptor;

namespace blockyard::cuda {

/// The part of cuTENSOR 2's C interface that is used. Statuses and operators are enumerations
/// there, which C passes as int. It is opened where it is found: nothing of it is needed to build.
struct CutensorLibrary {
  using Tensor = const cutensorTensorDescriptor*;
  using Modes = const std::int32_t*;

  std::size_t (*version)();
  const char* (*error_string)(int status);
  int (*create)(cutensorHandle**);
  int (*destroy)(cutensorHandle*);
  int (*create_tensor)(const cutensorHandle*, cutensorTensorDescriptor**, std::uint32_t modes,
                       const std::int64_t* extents, const std::int64_t* strides, cudaDataType_t,
                       std::uint32_t alignment);
  int (*destroy_tensor)(cutensorTensorDescriptor*);
  int (*create_contraction)(const cutensorHandle*, cutensorOperationDescriptor**, Tensor a, Modes,
                            int operation_a, Tensor b, Modes, int operation_b, Tensor c, Modes,
                            int operation_c, Tensor d, Modes, const cutensorComputeDescriptor*);
  int (*create_permutation)(const cutensorHandle*, cutensorOperationDescriptor**, Tensor a, Modes,
                            int operation_a, Tensor b, Modes, const cutensorComputeDescriptor*);
  int (*destroy_operation)(cutensorOperationDescriptor*);
  int (*operation_attribute)(const cutensorHandle*, cutensorOperationDescriptor*, int attribute,
                             void*, std::size_t bytes);
  int (*create_plan)(const cutensorHandle*, cutensorPlan**, const cutensorOperationDescriptor*,
                     const void* preference, std::uint64_t workspace_limit);
  int (*destroy_plan)(cutensorPlan*);
  int (*plan_attribute)(const cutensorHandle*, const cutensorPlan*, int attribute, void*,
                        std::size_t bytes);
  int (*contract)(const cutensorHandle*, const cutensorPlan*, const void* alpha, const void* a,
                  const void* b, const void* beta, const void* c, void* d, void* workspace,
                  std::uint64_t workspace_bytes, CUstream_st*);
  int (*permute)(const cutensorHandle*, const cutensorPlan*, const void* alpha, const void* a,
                 void* b, CUstream_st*);
  const cutensorComputeDescriptor* const* compute_32f;
  const cutensorComputeDescriptor* const* compute_64f;

  /// Nothing without a libcutensor.so.2 that has all of it.
  [[nodiscard]] static std::optional<CutensorLibrary> find();
};

template <class Raw>
struct DestroyBy {
  int (*destroy)(Raw*) = nullptr;
  void operator()(Raw* raw) const noexcept { static_cast<void>(destroy(raw)); }
};
template <class Raw>
using Owned = std::unique_ptr<Raw, DestroyBy<Raw>>;

/// An operation that cuTENSOR has taken.
struct TensorPlan {
  std::array<Owned<cutensorTensorDescriptor>, 3> tensors;  ///< by Side
  Owned<cutensorOperationDescriptor> operation;
  Owned<cutensorPlan> plan;
  std::uint64_t workspace_bytes = 0;
};

/// cuTENSOR for one device, the one this thread uses when it is opened. One thread at a time.
class Cutensor {
 public:
  /// Blocks are aligned to this many bytes.
  static constexpr std::uint64_t alignment = 16, workspace_alignment = 256;

  /// Nothing where it is not there or does not work with the device.
  [[nodiscard]] static std::optional<Cutensor> open();
  [[nodiscard]] std::string version() const;

  /// A contraction, or a permutation that overwrites. Nothing if cuTENSOR does not take it.
  [[nodiscard]] std::optional<TensorPlan> plan(const blockyard_operation& operation,
                                               std::uint64_t workspace_limit) const;
  struct Blocks {
    const void* left;
    const void* right;
    void* result;
    void* workspace;
  };
  /// Only enqueue. The factors have the element type of the operation. Throw std::runtime_error.
  void contract(const TensorPlan& plan, const void* alpha, const void* beta, const Blocks& blocks,
                CUstream_st* stream) const;
  void permute(const TensorPlan& plan, const void* alpha, const Blocks& blocks,
               CUstream_st* stream) const;

 private:
  void check(int status, const char* call) const;

  CutensorLibrary library_{};
  Owned<cutensorHandle> handle_;
};

}  // namespace blockyard::cuda
