// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cufft.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "plugins/common/transform.h"
#include "plugins/device_cuda/transform_steps.h"

namespace blockyard::cuda {

/// The part of cuFFT that is used, opened where it is found.
struct CufftLibrary {
  decltype(&cufftCreate) create;
  decltype(&cufftDestroy) destroy;
  decltype(&cufftSetAutoAllocation) set_auto_allocation;
  decltype(&cufftMakePlanMany64) make_plan;
  decltype(&cufftSetWorkArea) set_work_area;
  decltype(&cufftSetStream) set_stream;
  decltype(&cufftExecC2C) c2c;
  decltype(&cufftExecZ2Z) z2z;
  decltype(&cufftExecR2C) r2c;
  decltype(&cufftExecD2Z) d2z;
  decltype(&cufftExecC2R) c2r;
  decltype(&cufftExecZ2D) z2d;

  /// Nothing without a library of the version that this was built with.
  [[nodiscard]] static std::optional<CufftLibrary> find();
};

/// A transform that cuFFT has taken, for the device this thread used then.
class CufftPlan {
 public:
  /// Nothing if cuFFT does not take it. `library` outlives this.
  [[nodiscard]] static std::optional<CufftPlan> make(const CufftLibrary& library,
                                                     const plugin::Transform& transform);
  /// What the library needs, and a copy of left where one is made.
  [[nodiscard]] std::uint64_t workspace_bytes() const noexcept;
  /// At a multiple of a complex element, as cuFFT wants all blocks, real ones too. Another left is
  /// copied; a result must be.
  [[nodiscard]] bool is_aligned(const std::byte* at) const noexcept;
  /// Only enqueues. The result may be left. Throws std::runtime_error.
  void run(cudaStream_t stream, std::byte* result, const std::byte* left,
           std::byte* workspace) const;
  [[nodiscard]] std::uint64_t result_reals() const noexcept { return result_reals_; }

 private:
  struct Destroy {
    decltype(&cufftDestroy) destroy = nullptr;
    void operator()(cufftHandle* plan) const noexcept {
      static_cast<void>(destroy(*plan));
      delete plan;
    }
  };
  struct Step : TransformStep {
    std::unique_ptr<cufftHandle, Destroy> plan;
  };
  void run_step(const Step& step, std::byte* from, std::byte* to) const;

  const CufftLibrary* library_ = nullptr;
  plugin::Transform transform_;
  std::vector<Step> steps_;
  bool copies_left_ = false, may_copy_left_ = false;
  std::uint64_t left_bytes_ = 0, work_bytes_ = 0, result_reals_ = 0;
};

}  // namespace blockyard::cuda
