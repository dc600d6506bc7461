// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "blockyard/blas/whole.h"

namespace blockyard::blas {

/// Elements of the workspaces of a call; 0 for those that its routine does not have.
struct Workspaces {
  std::int64_t work = 0, rwork = 0, iwork = 0;
};

/// The shortest workspaces with which the routine computes, by its page in LAPACK 3.12; a routine
/// may take less for some extents. The call is a usual one.
template <class T>
[[nodiscard]] Workspaces shortest_workspaces(const WholeCall<T>& call) noexcept;

}  // namespace blockyard::blas
