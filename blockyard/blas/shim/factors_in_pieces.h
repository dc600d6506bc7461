// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "blockyard/blas/router/router.h"
#include "blockyard/blas/shim/local_calls.h"

namespace blockyard::blas {

/// getrf, potrf, gesv and posv by halves of the matrix: factors of a panel, what is solved and
/// multiplied with them, factors of the rest; each a call that goes to `compute`. It works in
/// place, and a call that is lost is computed here, so that the result is whole in any case. False:
/// it is another routine, or too small, and nothing was done.
template <class T>
[[nodiscard]] bool factor_in_pieces(const WholeCall<T>& call, int threads,
                                    const LocalCalls<T>& others,
                                    const std::function<void(Routed&)>& compute);

}  // namespace blockyard::blas
