// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "blockyard/base/error.h"
#include "blockyard/device/sim/sim.h"

namespace blockyard::job {

namespace fs = std::filesystem;

using base::Errc;
using base::Error;

namespace {

/// Whether the system shows a GPU: looked for before a driver is loaded, which takes a while.
bool shows_gpu() {
  constexpr std::array paths = {"/dev/nvidiactl", "/dev/dxg", "/dev/kfd", "/dev/dri/renderD128"};
  return std::ranges::any_of(paths, [](const char* path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
  });
}

std::string plugin_path(const DeviceSpec& spec, const std::string& kind) {
  return (fs::path(spec.plugins) / fmt::format("libblockyard_device_{}.so", kind)).string();
}

}  // namespace

Devices::Devices(const DeviceSpec& spec, int workers, std::int64_t host_share_bytes,
                 base::BufferPool& blocks, std::int64_t lock_limit_bytes)
    : blocks_(blocks) {
  if (spec.kind == "none") return;
  if (spec.kind != "auto") {
    open(spec, spec.kind, false);
    if (devices_.empty())
      throw Error(Errc::device,
                  fmt::format("--device {}: there is no such device on this machine; use --device "
                              "none",
                              spec.kind));
  } else if (shows_gpu()) {
    for (const std::string kind : {"cuda", "opencl"}) try {
        if (devices_.empty() && fs::exists(plugin_path(spec, kind))) open(spec, kind, true);
      } catch (const Error&) {  // a driver without hardware, or that does not work: the host does
        devices_.clear();
        infos_.clear();
      }
  }
  if (devices_.empty()) return;
  share_memory(spec, workers, host_share_bytes);
  if (devices_.front().describe().lock_page_bytes == 0) return;
  locks_.emplace(devices_.front(), lock_limit_bytes, [this] { blocks_.free_kept(); });
  blocks_.on_leave([this](const std::byte* memory) { locks_->unlock(memory); });
}

Devices::~Devices() {
  if (locks_) blocks_.on_leave(nullptr);
}

void Devices::open(const DeviceSpec& spec, const std::string& kind, bool only_gpus) {
  const device::Table* table = &device::sim::table();
  if (kind != "sim") {
    const std::string path = plugin_path(spec, kind);
    if (!fs::exists(path))
      throw Error(Errc::device, fmt::format("--device {}: this Blockyard was built without it: "
                                            "there is no {}",
                                            kind, path));
    table = &plugin_.emplace(path).table();
  }
  const int present = device::device_count(*table);
  const int wanted = spec.count.value_or(present);
  // A processor that plays a device may be opened several times, with some of its units each.
  if (present == 0) return;
  if (wanted > present && kind != "opencl")
    throw Error(Errc::device,
                fmt::format("--devices {}: there are {} of kind {}", wanted, present, kind));
  for (int k = 0; k < std::max(present, wanted); ++k) {
    if (static_cast<int>(devices_.size()) == wanted) break;
    devices_.emplace_back(*table, k % present, spec.options);
    const blockyard_description found = devices_.back().describe();
    if (only_gpus && found.shares_host_memory != 0) {
      devices_.pop_back();
      continue;
    }
    infos_.push_back({found.name, static_cast<std::int64_t>(found.memory_bytes)});
    kind_ = kind;
  }
}

void Devices::share_memory(const DeviceSpec& spec, int workers, std::int64_t host_share_bytes) {
  const auto count = static_cast<int>(devices_.size());
  const int workers_each = std::max(1, (workers + count - 1) / count);
  for (const device::Device& device : devices_) {
    const blockyard_description found = device.describe();
    // Some room is left to the driver and to the workspaces of libraries.
    std::int64_t bytes = static_cast<std::int64_t>(found.free_bytes) / 10 * 9;
    if (found.free_bytes == 0 || found.shares_host_memory != 0) bytes = host_share_bytes / count;
    bytes_.push_back(spec.memory_bytes.value_or(bytes) / workers_each);
  }
}

}  // namespace blockyard::job
