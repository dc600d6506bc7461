// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "blockyard/blas/level3.h"
#include "blockyard/blas/router/router.h"
#include "blockyard/blas/shim/local_calls.h"

namespace blockyard::blas {

/// Whether a device may have the call.
template <class T>
[[nodiscard]] bool is_offered(const Call<T>& call) noexcept;

/// Computes a call that is offered, here or there; `local` computes one of the same routine with
/// the library that the program would have reached, which uses `threads` threads.
template <class T>
void route_level3(const Call<T>& call, int threads, const LocalCalls<T>& others,
                  const std::function<void(const Call<T>&)>& local);

/// gemmt by products with the program's gemm, where it has no routine for that.
template <class T>
void compute_by_products(const Call<T>& call, const LocalCalls<T>& others);

/// A call that another one is made of goes to `compute`, here by `others`.
template <class T>
void compute_piece(const Call<T>& call, int threads, const LocalCalls<T>& others,
                   const std::function<void(Routed&)>& compute);

}  // namespace blockyard::blas
