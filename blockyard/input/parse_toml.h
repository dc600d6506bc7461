// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <string>
#include <string_view>

namespace blockyard::input {

/// The table of a TOML file. `path` stands in messages.
/// Throws Error{bad_input} with the line if it is not TOML, or is nested too deeply.
[[nodiscard]] toml::table parse_toml(std::string_view text, const std::string& path);

}  // namespace blockyard::input
