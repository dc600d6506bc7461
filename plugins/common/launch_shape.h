// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace blockyard::plugin {

/// How the first extent of a grid is cut: groups of items, and a number of elements for each item.
struct LaunchShape {
  std::int64_t group = 1;
  std::int64_t per_item = 1;
  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

/// What the shape of a launch depends on besides the kernel.
struct LaunchDevice {
  bool is_processor = true;
  std::int64_t units = 1;       ///< cores, or multiprocessors
  std::int64_t most_items = 1;  ///< of a group of this kernel
  std::int64_t vector = 1;      ///< numbers of a vector, or items that run in step
  bool has_functions = false;   ///< the kernel has a second text, with functions of the plug-in
};

/// A shape and the rule that proposes it.
struct LaunchProposal {
  LaunchShape shape;
  std::string_view rule;  ///< a literal
  bool is_driver =
      false;  ///< the first text, with the driver's functions, though there is a second
};

/// The shapes worth a trial, the likeliest first; at least one, at most four, all different. If the
/// kernel has a second text, one more: the first shape with the other text.
/// On a processor an item is a long loop, which its compiler turns into vectors, and groups of one
/// item are tasks of a core; how many tasks there are balances the load against the cost of each.
/// On a GPU an item is small, neighbours read neighbours in memory, and groups fill the device.
[[nodiscard]] std::vector<LaunchProposal> launch_proposals(
    const LaunchDevice& device, const std::array<std::int64_t, 3>& extent);

}  // namespace blockyard::plugin
