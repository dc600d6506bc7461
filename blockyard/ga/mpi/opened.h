// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include "blockyard/garray/grid_solver.h"

// Libraries of solvers that are opened when they are first needed, and stay open.
namespace blockyard::ga {

/// Null where it is not installed, or uses another MPI than we do: libraries for different ones
/// have the same names.
[[nodiscard]] void* open_of_our_mpi(const char* path);

template <class Function>
[[nodiscard]] bool find(void* object, const char* name, Function& found) {
  found = reinterpret_cast<Function>(dlsym(object, name));
  return found != nullptr;
}

/// The number in an environment variable, the least number of rows for a library, or `usual`. 0:
/// never. Throws Error{bad_input} if it is not a number.
[[nodiscard]] garray::Extent least_rows_in(const char* variable, const char* library,
                                           garray::Extent usual);

}  // namespace blockyard::ga
