// SPDX-License-Identifier: Apache-2.0
#include "plugins/device_cuda/cufft.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace blockyard::cuda {
namespace {

using Sort = plugin::Transform::Sort;

constexpr std::uint64_t alignment = 256;

std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

void check(cufftResult code, const char* call) {
  if (code != CUFFT_SUCCESS)
    throw std::runtime_error(std::string(call) + " failed: " + std::to_string(code));
}

cufftType type_of(Sort sort, bool is_single) {
  if (sort == Sort::c2c) return is_single ? CUFFT_C2C : CUFFT_Z2Z;
  if (sort == Sort::r2c) return is_single ? CUFFT_R2C : CUFFT_D2Z;
  return is_single ? CUFFT_C2R : CUFFT_Z2D;
}

}  // namespace

std::optional<CufftLibrary> CufftLibrary::find() {
  const std::string name = "libcufft.so." + std::to_string(CUFFT_VER_MAJOR);
  // It stays: what it has registered with the driver does not end before the process.
  void* const opened = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (opened == nullptr) return std::nullopt;
  CufftLibrary library{};
  bool is_whole = true;
  const auto take = [&](auto& member, const char* function) {
    void* const found = dlsym(opened, function);
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(found);
    is_whole = is_whole && found != nullptr;
  };
  take(library.create, "cufftCreate");
  take(library.destroy, "cufftDestroy");
  take(library.set_auto_allocation, "cufftSetAutoAllocation");
  take(library.make_plan, "cufftMakePlanMany64");
  take(library.set_work_area, "cufftSetWorkArea");
  take(library.set_stream, "cufftSetStream");
  take(library.c2c, "cufftExecC2C");
  take(library.z2z, "cufftExecZ2Z");
  take(library.r2c, "cufftExecR2C");
  take(library.d2z, "cufftExecD2Z");
  take(library.c2r, "cufftExecC2R");
  take(library.z2d, "cufftExecZ2D");
  if (!is_whole) return std::nullopt;
  return library;
}

std::optional<CufftPlan> CufftPlan::make(const CufftLibrary& library,
                                         const plugin::Transform& transform) {
  CufftPlan made;
  made.library_ = &library;
  made.transform_ = transform;
  const TransformSteps steps = steps_of(transform);
  const std::uint64_t real = transform.is_single ? 4 : 8;
  made.copies_left_ = steps.copies_left;
  made.may_copy_left_ = transform.sort != Sort::c2c;
  made.left_bytes_ = transform.left_count() * real * (transform.sort == Sort::r2c ? 1 : 2);
  made.result_reals_ = transform.result_count() * (transform.sort == Sort::c2r ? 1 : 2);
  // Real elements of a pass have to lie where complex ones could.
  if (std::ranges::any_of(steps.steps, [](const TransformStep& one) {
        return one.repeats > 1 && ((one.sort == Sort::r2c && one.in_advance % 2 != 0) ||
                                   (one.sort == Sort::c2r && one.out_advance % 2 != 0));
      }))
    return std::nullopt;
  for (const TransformStep& one : steps.steps) {
    cufftHandle plan = 0;
    if (library.create(&plan) != CUFFT_SUCCESS) return std::nullopt;
    Step step{one, {new cufftHandle(plan), Destroy{library.destroy}}};
    std::size_t bytes = 0;
    if (library.set_auto_allocation(plan, 0) != CUFFT_SUCCESS ||
        library.make_plan(plan, static_cast<int>(step.lengths.size()), step.lengths.data(),
                          step.in_extents.data(), step.stride, step.in_distance,
                          step.out_extents.data(), step.stride, step.out_distance,
                          type_of(step.sort, transform.is_single), step.count,
                          &bytes) != CUFFT_SUCCESS)
      return std::nullopt;
    made.work_bytes_ = std::max<std::uint64_t>(made.work_bytes_, bytes);
    made.steps_.push_back(std::move(step));
  }
  return made;
}

std::uint64_t CufftPlan::workspace_bytes() const noexcept {
  // The workspace itself may lie at any multiple of 64.
  return padded(work_bytes_) + (may_copy_left_ ? padded(left_bytes_) : 0) + alignment;
}

bool CufftPlan::is_aligned(const std::byte* at) const noexcept {
  return reinterpret_cast<std::uintptr_t>(at) % (transform_.is_single ? 8 : 16) == 0;
}

void CufftPlan::run(cudaStream_t stream, std::byte* result, const std::byte* left,
                    std::byte* workspace) const {
  auto* const work =
      reinterpret_cast<std::byte*>(padded(reinterpret_cast<std::uintptr_t>(workspace)));
  std::byte* const copy = work + padded(work_bytes_);
  // Real and complex elements do not lie alike: cuFFT would overwrite what it has not read.
  const bool copies = copies_left_ || (may_copy_left_ && (left == result || !is_aligned(left)));
  if (copies &&
      cudaMemcpyAsync(copy, left, left_bytes_, cudaMemcpyDeviceToDevice, stream) != cudaSuccess)
    throw std::runtime_error("a copy for a transform failed");
  for (const Step& step : steps_) {
    check(library_->set_work_area(*step.plan, work), "cufftSetWorkArea");
    check(library_->set_stream(*step.plan, stream), "cufftSetStream");
    using From = TransformStep::From;
    std::byte* const from = step.from == From::result           ? result
                            : step.from == From::copy || copies ? copy
                                                                : const_cast<std::byte*>(left);
    run_step(step, from, step.to_copy ? copy : result);
  }
}

void CufftPlan::run_step(const Step& step, std::byte* from, std::byte* to) const {
  const cufftHandle plan = *step.plan;
  const bool is_single = transform_.is_single;
  const long long real = is_single ? 4 : 8;
  const long long in_bytes = real * (step.sort == Sort::r2c ? 1 : 2);
  const long long out_bytes = real * (step.sort == Sort::c2r ? 1 : 2);
  const int direction = transform_.is_backward ? CUFFT_INVERSE : CUFFT_FORWARD;
  for (long long k = 0; k < step.repeats; ++k) {
    void* const in = from + k * step.in_advance * in_bytes;
    void* const out = to + k * step.out_advance * out_bytes;
    const auto pair = [](void* place) { return static_cast<cufftComplex*>(place); };
    const auto wide = [](void* place) { return static_cast<cufftDoubleComplex*>(place); };
    if (step.sort == Sort::c2c)
      check(is_single ? library_->c2c(plan, pair(in), pair(out), direction)
                      : library_->z2z(plan, wide(in), wide(out), direction),
            "cufftExec");
    else if (step.sort == Sort::r2c)
      check(is_single ? library_->r2c(plan, static_cast<cufftReal*>(in), pair(out))
                      : library_->d2z(plan, static_cast<cufftDoubleReal*>(in), wide(out)),
            "cufftExec");
    else
      check(is_single ? library_->c2r(plan, pair(in), static_cast<cufftReal*>(out))
                      : library_->z2d(plan, wide(in), static_cast<cufftDoubleReal*>(out)),
            "cufftExec");
  }
}

}  // namespace blockyard::cuda
