// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace blockyard::lattice {

/// Which pairs of legs of the two-particle Green's function exchange momentum and spin.
enum class Channel : std::uint8_t {
  pp_up_down,
  ph_transverse,
  ph_magnetic,
  ph_charge,
  ph_up_up,
  ph_up_down
};

inline constexpr std::array<Channel, 6> all_channels = {
    Channel::pp_up_down, Channel::ph_transverse, Channel::ph_magnetic,
    Channel::ph_charge,  Channel::ph_up_up,      Channel::ph_up_down};

[[nodiscard]] std::string_view name_of(Channel channel);
/// Throws Error{bad_input} for an unknown name, with the nearest, and for one that is there twice.
[[nodiscard]] std::vector<Channel> parse_channels(std::span<const std::string> names);
[[nodiscard]] inline bool is_pp(Channel channel) { return channel == Channel::pp_up_down; }

}  // namespace blockyard::lattice
