// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "blockyard/blas/level3.h"

namespace blockyard::blas {

/// Whether a device may have the call.
template <class T>
[[nodiscard]] bool is_offered(const Call<T>& call) noexcept;

/// Computes a call that is offered, here or there; `local` computes one with the library that the
/// program would have reached, which uses `threads` threads.
template <class T>
void route_level3(const Call<T>& call, int threads,
                  const std::function<void(const Call<T>&)>& local) noexcept;

}  // namespace blockyard::blas
