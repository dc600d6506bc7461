// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "blockyard/blas/whole.h"

namespace blockyard::blas {

/// Whether a device may have the call.
template <class T>
[[nodiscard]] bool is_offered(const WholeCall<T>& call) noexcept;

/// Computes a call that is offered. True: on a device; else `local` has computed it.
/// symbol: the exported name, of which the routine's name is a part. threads: of the local library.
template <class T>
[[nodiscard]] bool route_whole(const WholeCall<T>& call, std::string_view symbol, int threads,
                               const std::function<void()>& local) noexcept;

}  // namespace blockyard::blas
