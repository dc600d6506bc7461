// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/device_options.h"

#include "blockyard/base/text.h"
#include "blockyard/job/input.h"

namespace blockyard::app {

void add_device_options(CLI::App& command, DeviceOptions& options) {
  command.add_option("--device", options.kind,
                     "where blocks are computed beside the host: auto (a GPU if there is one; the "
                     "default), none, cuda, opencl or sim");
  command
      .add_option("--devices", options.count,
                  "devices of each process (default: all); the workers share them out")
      ->check(CLI::Range(1, 64));
  command.add_option("--device-memory", options.memory,
                     "memory to use on each device, like 4G (default: 90 % of what is free)");
  command.add_option("--device-options", options.options,
                     "options of the device's plug-in, like seed=3 (docs/devices.md)");
  command.add_option("--placement", options.placement,
                     "learned (statements run on host or device, where they are faster; the "
                     "default of --device auto) or device (all that can; otherwise the default)");
  command.add_option("--device-after", options.after,
                     "with --placement learned: opens a device after so much work that it could "
                     "do, or after so much time if it is named, like 2s; 0s: at once (default: "
                     "0.1s for a GPU, else 2s)");
  command.add_option("--device-network", options.network,
                     "whether MPI reads blocks in the memory of devices: auto (what the MPI "
                     "library says; the default), on or off");
  command.add_flag("--respect-gpu-hints", options.respect_hints,
                   "statements between gpu_on and gpu_off run on the device");
  command
      .add_flag("--without-intents", options.without_intents,
                "copy operands to and from the device however they are used (for measurements)")
      ->group("");
  // Ablations (docs/devices.md): what each part of the way of a block to a device brings.
  command
      .add_flag("--without-page-locks", options.without_page_locks, "host memory stays pageable")
      ->group("");
  command
      .add_flag("--without-pools", options.without_pools,
                "freed memory of devices and of the process is given back at once")
      ->group("");
  command.add_option("--device-streams", options.streams, "streams of each worker")
      ->check(CLI::Range(1, 4))
      ->group("");
}

void merge(const DeviceOptions& options, job::DeviceSpec& device) {
  if (!options.kind.empty()) {
    const std::string kind = job::parse_device_kind(options.kind);
    if (kind != device.kind) device.options.clear();
    device.kind = kind;
  }
  if (options.count) device.count = options.count;
  if (!options.memory.empty())
    device.memory_bytes = base::parse_bytes(options.memory, "--device-memory");
  if (!options.options.empty()) device.options = options.options;
  if (!options.placement.empty()) device.learns_placement = job::parse_placement(options.placement);
  if (!options.after.empty())
    device.after_seconds = base::parse_seconds(options.after, "--device-after");
  if (!options.network.empty()) device.feeds_network = job::parse_device_network(options.network);
  device.respects_hints = device.respects_hints || options.respect_hints;
  device.honours_intents = !options.without_intents;
  device.locks_pages = !options.without_page_locks;
  device.keeps_memory = !options.without_pools;
  if (options.streams) device.streams = *options.streams;
}

}  // namespace blockyard::app
