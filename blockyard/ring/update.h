// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "blockyard/device/device.h"
#include "blockyard/fabric/fabric.h"

namespace blockyard::ring {

using base::Extent;

/// A travelling item. The views are valid during apply and part only.
struct Item {
  int origin = 0;           ///< the rank that gave it
  std::int64_t number = 0;  ///< among those that this rank gave, from 0
  std::span<const std::byte> head;
  std::span<const std::byte> payload;  ///< in memory of the host; none if only a device has it
  Extent bytes = 0;                    ///< of the payload, wherever it is
  device::Address address = 0;         ///< of the payload on the device of a slice that is on one
};

/// The slice of a rank: memory of the host, or of a device. Only the ring's update writes it.
struct Slice {
  std::span<std::byte> host;
  device::Device* device = nullptr;  ///< null: the slice is on the host
  device::Address address = 0;
  Extent bytes = 0;  ///< on the device

  static Slice on_host(std::span<std::byte> bytes) { return {bytes, nullptr, 0, 0}; }
  static Slice on_device(device::Device& device, const device::Memory& memory) {
    return {{}, &device, memory.address(), memory.bytes()};
  }
};

/// Updates a slice as items pass it. The ring calls one function of it at a time, from
/// the thread of its rank.
class Update {
 public:
  virtual ~Update() = default;
  /// Takes the items into the slice, which may be any state, not only a sum. One or several at
  /// once, in the order in which they came; that order differs between places and runs.
  /// stream: null, or that of the device which has the slice. Then apply only enqueues on it, what
  /// reads the items, at their addresses, too; they are written before that work runs, and stay as
  /// they are until it is done.
  virtual void apply(std::span<const Item> items, const Slice& slice, device::Stream* stream) = 0;
  /// The part that a place needs of an item sent to it directly; null: all of it.
  [[nodiscard]] virtual fabric::Payload part(const Item& /*item*/, int /*place*/) {
    return nullptr;
  }
};

}  // namespace blockyard::ring
