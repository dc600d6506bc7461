// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/channel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"

namespace blockyard::lattice {

namespace {

constexpr std::array<std::string_view, all_channels.size()> names = {
    "pp_up_down", "ph_transverse", "ph_magnetic", "ph_charge", "ph_up_up", "ph_up_down"};

Channel parse_channel(const std::string& name) {
  for (const Channel channel : all_channels)
    if (name_of(channel) == name) return channel;
  const std::vector<std::string> known(names.begin(), names.end());
  const std::string nearest = base::nearest_name(name, known);
  throw base::Error(base::Errc::bad_input,
                    fmt::format("unknown channel '{}'{}; the channels are {}", name,
                                nearest.empty() ? "" : fmt::format(": did you mean '{}'?", nearest),
                                fmt::join(names, ", ")));
}

}  // namespace

std::string_view name_of(Channel channel) { return names[static_cast<std::size_t>(channel)]; }

std::vector<Channel> parse_channels(std::span<const std::string> texts) {
  std::vector<Channel> channels;
  for (const std::string& text : texts) {
    const Channel channel = parse_channel(text);
    if (std::ranges::find(channels, channel) != channels.end())
      throw base::Error(base::Errc::bad_input,
                        fmt::format("the channel '{}' is given twice", text));
    channels.push_back(channel);
  }
  return channels;
}

}  // namespace blockyard::lattice
