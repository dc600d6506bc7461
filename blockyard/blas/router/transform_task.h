// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/blas/transform.h"
#include "blockyard/device/device.h"

namespace blockyard::blas {

/// Has a remote device make the plan of a transform ahead, without waiting for it.
template <class Real>
void prepare(const Transform& transform, device::Device& device);

/// Computes a transform of numbers of type Real on a remote device; in place too. False, or Error:
/// nothing was written.
template <class Real>
[[nodiscard]] bool compute_there(const Transform& transform, const Arrays& arrays,
                                 device::Device& device);

}  // namespace blockyard::blas
