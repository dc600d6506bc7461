// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cusolverDn.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "plugins/common/whole.h"

namespace blockyard::cuda {

/// The part of cuSOLVER that is used, opened where it is found. Of what older versions do not have
/// (`general`) the function is null.
struct CusolverLibrary {
  decltype(&cusolverDnCreate) create;
  decltype(&cusolverDnDestroy) destroy;
  decltype(&cusolverDnSetStream) set_stream;
  decltype(&cusolverDnCreateParams) create_parameters;
  decltype(&cusolverDnDestroyParams) destroy_parameters;
  decltype(&cusolverDnXgetrf_bufferSize) lu_size;
  decltype(&cusolverDnXgetrf) lu;
  decltype(&cusolverDnXpotrf_bufferSize) cholesky_size;
  decltype(&cusolverDnXpotrf) cholesky;
  decltype(&cusolverDnXgeqrf_bufferSize) qr_size;
  decltype(&cusolverDnXgeqrf) qr;
  decltype(&cusolverDnXsyevd_bufferSize) symmetric_size;
  decltype(&cusolverDnXsyevd) symmetric;
  decltype(&cusolverDnXgesvd_bufferSize) singular_size;
  decltype(&cusolverDnXgesvd) singular;
  /// cusolverDnXgeev, which headers have from CUDA 12.8 on.
  cusolverStatus_t (*general_size)(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t left,
                                   cusolverEigMode_t right, std::int64_t n, cudaDataType,
                                   const void* a, std::int64_t lda, cudaDataType, const void* w,
                                   cudaDataType, const void* vl, std::int64_t ldvl, cudaDataType,
                                   const void* vr, std::int64_t ldvr, cudaDataType compute,
                                   std::size_t* device, std::size_t* host);
  cusolverStatus_t (*general)(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t left,
                              cusolverEigMode_t right, std::int64_t n, cudaDataType, void* a,
                              std::int64_t lda, cudaDataType, void* w, cudaDataType, void* vl,
                              std::int64_t ldvl, cudaDataType, void* vr, std::int64_t ldvr,
                              cudaDataType compute, void* device, std::size_t device_bytes,
                              void* host, std::size_t host_bytes, int* info);
  decltype(&cusolverDnSormqr_bufferSize) s_reflect_size;
  decltype(&cusolverDnSormqr) s_reflect;
  decltype(&cusolverDnDormqr_bufferSize) d_reflect_size;
  decltype(&cusolverDnDormqr) d_reflect;
  decltype(&cusolverDnCunmqr_bufferSize) c_reflect_size;
  decltype(&cusolverDnCunmqr) c_reflect;
  decltype(&cusolverDnZunmqr_bufferSize) z_reflect_size;
  decltype(&cusolverDnZunmqr) z_reflect;

  /// Nothing without a library of the version that this was built with.
  [[nodiscard]] static std::optional<CusolverLibrary> find();
};

/// An operation of FACTOR, REFLECT or SPECTRUM, by cuSOLVER. SOLVE is cuBLAS's.
class CusolverPlan {
 public:
  /// Nothing where cuSOLVER does not have it: singular values of matrices with more columns than
  /// rows, left eigenvectors. `library` outlives this.
  [[nodiscard]] static std::optional<CusolverPlan> make(const CusolverLibrary& library,
                                                        const plugin::Whole& whole);
  [[nodiscard]] std::uint64_t workspace_bytes() const noexcept;
  struct Blocks {
    std::byte *result, *left, *right, *workspace;
  };
  /// Enqueues, and waits where the library works in memory of the host. Throws std::runtime_error.
  void run(cudaStream_t stream, const Blocks& blocks) const;

 private:
  template <class Raw>
  struct Destroy {
    cusolverStatus_t (*destroy)(Raw*);
    void operator()(Raw* raw) const noexcept { static_cast<void>(destroy(raw)); }
  };
  /// Where in the workspace what lies.
  struct Room {
    std::byte *work, *numbers, *info, *vectors;
  };
  [[nodiscard]] Room room_in(std::byte* workspace) const noexcept;
  [[nodiscard]] bool find_sizes();
  void enqueue(const Blocks& blocks, const Room& room) const;
  void reflect(const Blocks& blocks, const Room& room) const;
  void tell_numbers(cudaStream_t stream, const Blocks& blocks, const Room& room) const;
  [[nodiscard]] bool is_finite(cudaStream_t stream, const Blocks& blocks, const Room& room) const;
  void tell_of_none(cudaStream_t stream, const Blocks& blocks, const Room& room) const;
  [[nodiscard]] std::int64_t least() const noexcept;
  [[nodiscard]] std::uint64_t element_bytes() const noexcept;

  const CusolverLibrary* library_ = nullptr;
  plugin::Whole whole_;
  std::unique_ptr<cusolverDnContext, Destroy<cusolverDnContext>> handle_;
  /// The defaults: that null stands for them is nowhere promised.
  std::unique_ptr<cusolverDnParams, Destroy<cusolverDnParams>> parameters_;
  std::size_t device_bytes_ = 0;
  mutable std::vector<std::byte> host_;  ///< in which the library works while `run` lasts
};

}  // namespace blockyard::cuda
