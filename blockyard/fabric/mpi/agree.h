// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "blockyard/fabric/mpi/session.h"

/// Steps that may fail in one process while the others go on to the next collective call, where
/// they would wait for it forever. Null: this process alone, with exceptions as they are.
namespace blockyard::fabric {

/// Collective. The bytes of `make` at process 0, at all processes. Throws its exception at all of
/// them, as a base::Error.
[[nodiscard]] std::vector<std::byte> share(MpiSession* session,
                                           const std::function<std::vector<std::byte>()>& make);

/// Collective. Does `work`, which calls nothing collective that may be left out, at every process;
/// throws at all the error of the first that has one, by number, but one that came from elsewhere
/// (Errc::comm) only as a last resort.
void agree(MpiSession* session, const std::function<void()>& work);

}  // namespace blockyard::fabric
