// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace blockyard::ga {

/// A place in code as "file of code<tab>address in it": the same for all processes of a program.
[[nodiscard]] std::string code_place(void* place);
/// "scf.c:214" for each of such places; "" where debug information does not have it, or where
/// addr2line is not there.
[[nodiscard]] std::map<std::string, std::string> lines_of(const std::vector<std::string>& places);

}  // namespace blockyard::ga
