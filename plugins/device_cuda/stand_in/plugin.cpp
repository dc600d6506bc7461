// SPDX-License-Identifier: Apache-2.0
// The plug-in over the stand-in: its own table, but opening also takes options of the stand-in, and
// with the last device all must be closed.
#include <mutex>
#include <string>
#include <string_view>

#include "plugins/common/edge.h"
#include "plugins/common/options.h"
#include "plugins/device_cuda/machine.h"
#include "plugins/device_cuda/stand_in/world.h"

namespace {

using Edge = blockyard::plugin::Edge<blockyard::cuda::Machine>;
using blockyard::cuda::stand_in::Settings;
using blockyard::cuda::stand_in::World;

int open_devices = 0;  // the world's mutex guards it

/// Takes the words of the stand-in out of the options. A wrong one is left for the plug-in to
/// refuse.
Settings settings_of(std::string_view options, std::string& others) {
  Settings settings;
  const auto take = [&](std::string_view key, std::string_view value) -> std::string {
    std::uint64_t* const ours = key == "seed"           ? &settings.seed
                                : key == "pools"        ? &settings.has_pools
                                : key == "peers"        ? &settings.has_peers
                                : key == "device_bytes" ? &settings.device_bytes
                                                        : nullptr;
    if (ours == nullptr || !blockyard::plugin::read_number(value, *ours).empty())
      others += std::string(key) + "=" + std::string(value) + " ";
    return {};
  };
  static_cast<void>(blockyard::plugin::read_options(options, take));
  return settings;
}

blockyard_status open(std::uint32_t index, const char* options, blockyard_device** opened) {
  World& world = World::here();
  const std::lock_guard lock(world.mutex());
  std::string others;
  const Settings settings = settings_of(options == nullptr ? "" : options, others);
  if (open_devices == 0) world.begin(settings);
  const blockyard_status status = Edge::table.open(index, others.c_str(), opened);
  if (*opened != nullptr) ++open_devices;
  return status;
}

void close(blockyard_device* device) {
  if (device == nullptr) return;
  World& world = World::here();
  const std::lock_guard lock(world.mutex());
  Edge::table.close(device);
  if (--open_devices == 0) world.books().expect_empty();
}

}  // namespace

const blockyard_device_table* blockyard_device_plugin(void) {
  static const blockyard_device_table table = [] {
    blockyard_device_table changed = Edge::table;
    changed.open = open;
    changed.close = close;
    return changed;
  }();
  return &table;
}
