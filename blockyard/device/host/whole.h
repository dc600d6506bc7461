// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "blockyard/device/abi_kinds.h"
#include "blockyard/device/host/fft.h"

namespace blockyard::device::host {

/// An operation of abi_kinds.h, by BLAS, LAPACK and FFTW. Any thread.
class Whole {
 public:
  /// Whether the host knows the kind with these flags.
  [[nodiscard]] static bool is_known(const blockyard_operation& operation) noexcept;
  /// Throws Error{bad_input} if the operands do not fit each other: untrusted input is also
  /// checked here, before any of it reaches a library.
  explicit Whole(const blockyard_operation& operation);
  /// False: it is a transform, and no FFTW is here, or LAPACK's workspaces are too long to count.
  [[nodiscard]] bool is_usable() const noexcept {
    return workspaces_fit_ && (operation_.kind != BLOCKYARD_FFT || fft_ != nullptr);
  }
  void run(const blockyard_run& run) const;

 private:
  template <class T>
  void run_as(const blockyard_run& run) const;
  template <class T>
  void factor(T* result, T* numbers) const;
  template <class T>
  [[nodiscard]] bool is_finite(const T* a) const;
  template <class T>
  void find_spectrum(T* result, T* left, T* numbers) const;
  [[nodiscard]] bool has(std::uint32_t flag) const noexcept {
    return (operation_.flags & flag) != 0;
  }

  blockyard_operation operation_;
  int rows_ = 0, columns_ = 0;  ///< of the result; of left where singular
  bool workspaces_fit_ = true;
  std::unique_ptr<const Fft> fft_;
};

}  // namespace blockyard::device::host
