// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "blockyard/blas/router/kept.h"
#include "blockyard/blas/transform.h"
#include "blockyard/device/device.h"

namespace blockyard::blas {

/// Has a device make the plan of a transform, without waiting for it.
template <class Real>
void prepare(const Transform& transform, device::Device& device);

/// A transform under way on a device. One thread.
class TransformRun {
 public:
  virtual ~TransformRun() = default;
  /// Waits, and writes the result: exactly the elements that the transform writes. False, or Error:
  /// nothing was written.
  [[nodiscard]] virtual bool finish() = 0;
};

/// Sends what the transform reads, which stays until `finish`. Null: the device does not know it,
/// or has no room. Throws Error.
template <class Real>
[[nodiscard]] std::unique_ptr<TransformRun> start_there(const Transform& transform,
                                                        const Arrays& arrays, const On& on);

}  // namespace blockyard::blas
