// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "blockyard/blas/vectors.h"

namespace blockyard::blas {

/// Whether a device may have the call: only with place `remote`.
template <class T>
[[nodiscard]] bool is_offered(const VectorCall<T>& call) noexcept;

/// Computes a call that is offered, here or there; `local` computes it with the library that the
/// program would have reached, which uses `threads` threads.
template <class T>
void route_vectors(const VectorCall<T>& call, int threads, const std::function<void()>& local);

}  // namespace blockyard::blas
