// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <string>

#include "blockyard/input/spec.h"

namespace blockyard::input::detail {

/// Reads the table [arrays] into `spec`: each one is `name = { extents = [2, 3], values = [...] }`,
/// first index fastest, with `type = "int"` if it is an int array of a .dat file. Throws
/// Error{bad_input} with file and line for anything else.
void read_dense_arrays(const toml::node& node, const std::string& path, Spec& spec);

}  // namespace blockyard::input::detail
