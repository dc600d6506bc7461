// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "blockyard/input/places.h"
#include "blockyard/plan/machine.h"

namespace blockyard::plan {

/// Measures this machine in a few seconds. Each rate is the best of several rounds, so that
/// other load on the machine counts little. Contractions, permutations, integrals and linear
/// algebra are called as a worker calls them, while all other cores compute; the costs of
/// statements and transfers are taken from small programs that run on workers for all cores; the
/// disk is that of folder `scratch`; the overhead of a job over the sum of its parts, from CCSD(T)
/// of water, with the programs and the basis at `places`. `progress`: the current measurement, and
/// the share that is done. Throws Error{io} if the folder cannot be written.
[[nodiscard]] Machine calibrate(const std::string& scratch, const input::Places& places,
                                const std::function<void(std::string_view, double)>& progress);

}  // namespace blockyard::plan
