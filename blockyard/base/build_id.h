// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace blockyard::base {

/// What the linker wrote into this program, or into the library that this code is part of (as of
/// Python's module), to tell builds apart (its GNU build ID), in hexadecimal:
/// the same in every copy of one build. Empty where the linker wrote none. Reads no file.
[[nodiscard]] std::string build_id();

}  // namespace blockyard::base
