// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "blockyard/rpc/transport.h"

/// One connection over several: where a network gives each of them a share of its rate, or a
/// processor encrypts for one at a time, they are faster together.
namespace blockyard::rpc::striped {

inline constexpr std::size_t most_members = 16;

/// Both ends have the same members in the same order; they outlive this. Long parts are divided
/// among all, the rest goes by the first; bytes arrive in the order in which they were sent. What
/// ends one member ends all. A thread for each direction of each further member belongs to it.
[[nodiscard]] std::unique_ptr<Transport> over(std::vector<Transport*> members);

}  // namespace blockyard::rpc::striped
