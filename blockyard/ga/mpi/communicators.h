// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace blockyard::ga {

/// The ranks of a group in its order. Throws Error{bad_input} unless it lives here.
[[nodiscard]] MPI_Comm communicator_of(int group);

}  // namespace blockyard::ga
