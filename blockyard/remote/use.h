// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// What a server says of the use of its devices: bodies of frames as in messages.h.
namespace blockyard::remote {

/// Of one device, for one client.
struct Load {
  std::uint32_t index = 0;   ///< among the devices of Welcome
  double queue_seconds = 0;  ///< of work that other clients have there
  std::uint64_t free_bytes =
      0;  ///< of what all clients may allocate together; 0: none, or no limit
  friend bool operator==(const Load&, const Load&) = default;
  void fields(auto& f) { f.fields(index, queue_seconds, free_bytes); }
};

/// The server needs memory of a device that the client could do without.
struct Trim {
  std::uint32_t index = 0;
  std::uint64_t bytes = 0;
  void fields(auto& f) { f.fields(index, bytes); }
};

/// Means over the last ten seconds.
struct Rates {
  double received = 0;  ///< bytes a second, from clients
  double sent = 0;      ///< bytes a second, to clients
  double busy = 0;      ///< seconds of the device's time a second
};

/// What one client has of a device.
struct ClientUse {
  std::string name;  ///< of its token
  double weight = 1;
  double used_seconds = 0;   ///< of the device's time
  std::uint32_t queued = 0;  ///< parts of work that have not ended
  std::uint64_t memory_bytes = 0;
  Rates rates;
};

struct DeviceUse {
  double queue_seconds = 0;
  std::uint64_t memory_bytes = 0;  ///< that clients have allocated
  std::uint64_t limit_bytes = 0;   ///< that they may allocate together; 0: what the device has
  Rates rates = {};                ///< of all clients, also those that have left
  std::vector<ClientUse> clients;
};

/// What the work of one client on a device took since it came, by kind; streams overlap. Counted of
/// devices that are opened with the option timed=1.
struct WorkSeconds {
  double to_device = 0;    ///< copies from the server's memory
  double plan = 0;         ///< making plans
  double compute = 0;      ///< running them
  double from_device = 0;  ///< copies into the server's memory
  void fields(auto& f) { f.fields(to_device, plan, compute, from_device); }
};

/// Of all devices of a server.
struct Usage {
  std::vector<DeviceUse> devices;
  void fields(auto& f) {
    f.each(devices, [&](auto& device) {
      f.fields(device.queue_seconds, device.memory_bytes, device.limit_bytes);
      f.fields(device.rates.received, device.rates.sent, device.rates.busy);
      f.each(device.clients, [&](auto& client) {
        f.fields(client.name, client.weight, client.used_seconds, client.queued,
                 client.memory_bytes);
        f.fields(client.rates.received, client.rates.sent, client.rates.busy);
      });
    });
  }
};

}  // namespace blockyard::remote
