// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace blockyard::array {

/// The kind of thing an index counts. Each but `simple` has its own table of segment extents in the
/// job; a simple index has extent 1 and may take any value.
enum class IndexKind : std::uint8_t { simple, ao, mo, moa, mob, la };

inline constexpr std::size_t kind_count = 6;

/// Names of the kinds in the order of IndexKind: as keys of a job, and as SIAL keywords.
inline constexpr std::array<std::string_view, kind_count> kind_names = {"simple", "ao",  "mo",
                                                                        "moa",    "mob", "la"};
inline constexpr std::array<std::string_view, kind_count> kind_keywords = {
    "index", "aoindex", "moindex", "moaindex", "mobindex", "laindex"};

[[nodiscard]] constexpr std::string_view name_of(IndexKind kind) noexcept {
  return kind_names[static_cast<std::size_t>(kind)];
}

/// The kind that a job calls `name` ("ao"), or nothing.
[[nodiscard]] constexpr std::optional<IndexKind> kind_named(std::string_view name) noexcept {
  for (std::size_t k = 0; k < kind_count; ++k)
    if (kind_names[k] == name) return static_cast<IndexKind>(k);
  return std::nullopt;
}

/// Most indexes an array may have.
inline constexpr std::size_t max_order = 8;

}  // namespace blockyard::array
