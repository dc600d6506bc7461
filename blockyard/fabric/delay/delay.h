// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "blockyard/fabric/fabric.h"

namespace blockyard::fabric {

/// The simulated slowness of a link.
struct Delay {
  double latency_seconds = 0;
  double bytes_per_second = 0;  ///< 0: no limit
  friend bool operator==(const Delay&, const Delay&) = default;
};

/// Reads "100us,1GB/s" or "100us". Throws Error{bad_input}.
[[nodiscard]] Delay parse_delay(std::string_view text);

/// A fabric that behaves as if it were slower: a message is heard once latency + bytes/bandwidth
/// have passed since it was sent; the messages of one rank to another follow each other on a link
/// of that bandwidth, and keep their order. The same holds for windows: done() turns true later.
/// Messages to oneself, collectives and abort are not slowed down. For measuring on one machine:
/// all ranks must read the same steady clock. One per rank, on all ranks. One thread; `abort`:
/// any.
[[nodiscard]] std::unique_ptr<Fabric> delayed(std::unique_ptr<Fabric> fabric, const Delay& delay);

}  // namespace blockyard::fabric
