// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace blockyard::input {

/// Of a dotted key; no name in our files has more than three.
constexpr std::size_t most_key_parts = 100;

/// The table of a TOML file. `path` stands in messages.
/// Throws Error{bad_input} with the line if it is not TOML, or is nested too deeply.
[[nodiscard]] toml::table parse_toml(std::string_view text, const std::string& path);

}  // namespace blockyard::input
