// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "blockyard/blas/router/kept.h"
#include "blockyard/blas/transform.h"

namespace blockyard::blas {

/// Computes a transform on a device with so much memory (0: enough for it). One that has no room
/// goes in passes over slabs or pencils: some of its indexes, then the others, or for one index the
/// four steps: n = n1 n2, transforms of length n2 and roots of unity, transforms of length n1. A
/// real one of one index is half as many complex ones. Returns how often its elements went there
/// and came back; 0: the device cannot, and what the program sees is as it was, except that a
/// result apart from what is read may hold anything. Throws Error, likewise.
template <class Real>
[[nodiscard]] int compute_there(const Transform& transform, const Arrays& arrays, const On& on,
                                std::int64_t memory_bytes);

}  // namespace blockyard::blas
