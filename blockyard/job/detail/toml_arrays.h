// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <map>
#include <string>

#include "blockyard/worker/environment.h"

namespace blockyard::job::detail {

/// The table [arrays]: each one is `name = { extents = [2, 3], values = [...] }`, first index
/// fastest. Throws Error{bad_input} with file and line for anything else.
[[nodiscard]] std::map<std::string, worker::DenseArray, std::less<>> read_dense_arrays(
    const toml::node& node, const std::string& path);

}  // namespace blockyard::job::detail
