// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace blockyard::store {

/// Throws Error{bad_input} if two outputs are one file or both "-", or an output is an input. Empty
/// names are no files; what is not a regular file, such as /dev/null, may be named twice.
void check_apart(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

}  // namespace blockyard::store
