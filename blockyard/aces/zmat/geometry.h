// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/aces/zmat/lines.h"
#include "blockyard/input/spec.h"

namespace blockyard::aces::zmat {

/// The atoms as lines `symbol x y z` in `units` ("angstrom" or "bohr"), from Cartesian or internal
/// coordinates: the first atom shows which. Angles are in degrees. Throws Error{bad_input}.
[[nodiscard]] std::string read_geometry(const Parts& parts, const std::string& units);

}  // namespace blockyard::aces::zmat
