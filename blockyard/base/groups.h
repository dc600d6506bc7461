// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace blockyard::base {

/// What each of many counts for each other is kept for groups of consecutive ones, at most this
/// many: the sum of all grows with their number, not with its square, and a page can show it.
inline constexpr int most_groups = 64;

/// How many there are in each group of `count`; the last may have fewer.
[[nodiscard]] constexpr int in_each_group(int count) noexcept {
  return count <= most_groups ? 1 : (count + most_groups - 1) / most_groups;
}
[[nodiscard]] constexpr int group_count(int count) noexcept {
  return (count + in_each_group(count) - 1) / in_each_group(count);
}

}  // namespace blockyard::base
