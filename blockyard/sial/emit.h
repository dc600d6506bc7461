// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/program/program.h"
#include "blockyard/sial/checked.h"

namespace blockyard::sial {

/// The program of a unit that was checked without an error. Unused parts are left out.
[[nodiscard]] program::Program emit(const checked::Unit& unit);

}  // namespace blockyard::sial
