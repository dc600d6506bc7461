// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace blockyard::base {

/// The candidate with the smallest edit distance to `name`, or "" if none is close
/// (more than a third of its letters differ). For "did you mean ...?" hints.
[[nodiscard]] std::string nearest_name(std::string_view name,
                                       std::span<const std::string> candidates);

/// Bytes of "300M", "4G", "1.5GiB", "4096": binary units, letter case does not matter.
/// Throws Error{bad_input} that names `what` for anything else.
[[nodiscard]] std::int64_t parse_bytes(std::string_view text, std::string_view what);

/// "90s", "10m", "1.5h" or "0s" as seconds. Throws Error{bad_input} that begins with `what`.
[[nodiscard]] double parse_seconds(std::string_view text, std::string_view what);

/// "1.5 GiB", "300.0 MiB", "12 B".
[[nodiscard]] std::string format_bytes(std::int64_t bytes);

/// The text without what could move the cursor of a terminal or change its state: a control
/// character other than newline and tab becomes "?".
[[nodiscard]] std::string showable(std::string_view text);

/// Lower-case copy (ASCII): SIAL names and basis names ignore case.
[[nodiscard]] std::string lower(std::string_view text);

}  // namespace blockyard::base
