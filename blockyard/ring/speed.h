// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "blockyard/fabric/fabric.h"

namespace blockyard::ring {

/// Collective. By rank, how fast it does `work`, while the others do theirs: ranks that share a
/// device share its speed. Speeds that differ by less than a quarter are the same. Empty: the rank
/// counts as the slowest of the others.
[[nodiscard]] std::vector<double> measured_speeds(fabric::Fabric& fabric,
                                                  const std::function<void()>& work);

}  // namespace blockyard::ring
