// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/channel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"

namespace blockyard::lattice {

namespace {

constexpr std::array<std::string_view, all_channels.size()> names = {
    "pp_up_down", "ph_transverse", "ph_magnetic", "ph_charge", "ph_up_up", "ph_up_down"};

}  // namespace

std::string_view name_of(Channel channel) { return names[static_cast<std::size_t>(channel)]; }

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

}  // namespace blockyard::lattice
