// SPDX-License-Identifier: Apache-2.0
#include "apps/blockyard/ring_devices.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "apps/blockyard/commands.h"
#include "blockyard/base/fields.h"
#include "blockyard/base/text.h"
#include "blockyard/fabric/mpi/agree.h"

namespace blockyard::app {

namespace {

/// The node of this process, and which of its devices a launcher lets it see.
std::string seen_here() {
  std::array<char, 256> host{};
  static_cast<void>(gethostname(host.data(), host.size() - 1));
  std::string text = host.data();
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK"}) {
    const char* value = std::getenv(name);
    text += std::string("\n") + (value != nullptr ? value : "all");
  }
  return text;
}

/// Collective. The processes that see the devices of this one.
int sharers(fabric::MpiSession* session) {
  if (session == nullptr) return 1;
  const std::string mine = seen_here();
  base::FieldWriter out;
  out.fields(mine);
  base::FieldWriter list;
  for (const auto& bytes : session->gather(out.take())) list.fields(bytes);
  const auto all = session->broadcast(list.take());
  base::FieldReader in(all);
  int count = 0;
  for (int process = 0; process < session->processes(); ++process) {
    std::vector<std::byte> bytes;
    std::string text;
    in.fields(bytes);
    base::FieldReader(bytes).fields(text);
    if (text == mine) ++count;
  }
  return count;
}

/// Of the device that has least; 0: none has memory of its own, or says how much is free.
std::int64_t least_free_bytes(std::deque<device::Device>& devices) {
  std::int64_t least = 0;
  for (device::Device& one : devices) {
    const blockyard_description about = one.describe();
    if (about.shares_host_memory != 0 || about.free_bytes == 0) continue;
    const auto bytes = static_cast<std::int64_t>(about.free_bytes);
    least = least == 0 ? bytes : std::min(least, bytes);
  }
  return least;
}

}  // namespace

RingDevices::RingDevices(const RingDeviceChoice& choice, fabric::MpiSession* session)
    : choice_(choice) {
  if (choice.kind == "none") return;
  fabric::agree(session,
                [&] { devices_.emplace(choice.kind, choice.options, find_places("").plugins); });
}

void RingDevices::put_into(lattice::G4Options& options, const ring::Team& team) {
  options.devices.clear();
  options.device_bytes = 0;
  if (!devices_) return;
  const int ranks = team.ranks_here * sharers(team.session);
  fabric::agree(team.session, [&] {
    std::deque<device::Device>& devices = devices_->all();
    for (device::Device& one : devices) options.devices.push_back(&one);
    const auto count = static_cast<int>(devices.size());
    const std::int64_t ranks_each = std::max(1, (ranks + count - 1) / count);
    if (choice_.memory_bytes)
      options.device_bytes = *choice_.memory_bytes / ranks_each;
    else
      options.device_bytes = least_free_bytes(devices) / 10 * 9 / ranks_each;
  });
}

}  // namespace blockyard::app
