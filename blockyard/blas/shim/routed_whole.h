// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "blockyard/blas/router/router.h"
#include "blockyard/blas/shim/local_calls.h"
#include "blockyard/blas/whole.h"

namespace blockyard::blas {

/// Whether a device may have the call.
template <class T>
[[nodiscard]] bool is_offered(const WholeCall<T>& call) noexcept;

/// Computes a call that is offered. True: on a device; else `local` has computed it.
/// symbol: the exported name, of which the routine's name is a part. threads: of the local library.
template <class T>
[[nodiscard]] bool route_whole(const WholeCall<T>& call, std::string_view symbol, int threads,
                               const LocalCalls<T>& others, const std::function<void()>& local);

/// A call of getrf or potrf that another one is made of goes to `compute`, here by `others`.
template <class T>
void compute_piece(const WholeCall<T>& call, int threads, const LocalCalls<T>& others,
                   const std::function<void(Routed&)>& compute);

}  // namespace blockyard::blas
