// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "blockyard/device/abi_kinds.h"

namespace blockyard::device::host {

/// A discrete Fourier transform, by the FFTW found on this machine when a plan is made. It
/// is under the GPL, so it is never linked. Any thread.
class Fft {
 public:
  /// Null without an FFTW for the element type. Throws Error{bad_input} if the operands do not fit
  /// each other.
  [[nodiscard]] static std::unique_ptr<const Fft> plan(const blockyard_operation& operation);
  virtual ~Fft() = default;
  /// `left` stays, unless it is `result`.
  virtual void run(void* result, void* left) const = 0;
};

}  // namespace blockyard::device::host
