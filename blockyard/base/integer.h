// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "blockyard/base/error.h"

namespace blockyard::base {

/// Counts, strides and lengths in elements.
using Extent = std::int64_t;

/// The one place where a count becomes the `int` of BLAS and MPI.
/// Throws Error{bad_input} if it does not fit.
inline int to_int(Extent value) {
  if (value > INT32_MAX || value < INT32_MIN)
    throw Error(Errc::bad_input, "a length of more than 2^31 - 1 elements does not fit the BLAS");
  return static_cast<int>(value);
}

}  // namespace blockyard::base
