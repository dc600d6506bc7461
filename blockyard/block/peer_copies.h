// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "blockyard/device/device.h"

namespace blockyard::block {

/// What the workers of a process have on devices for each other: copies of blocks that never
/// change. Outlived by the devices. Any thread: mutex_ guards the table.
class PeerCopies {
 public:
  struct Offer {
    const device::Device* device = nullptr;
    device::Address address = 0;
    device::Event ready;    ///< when the values are there
    device::Memory memory;  ///< once its owner has left it
  };
  /// Shared by the owner, the table, and whoever copies from it until that is done.
  using Held = std::shared_ptr<Offer>;

  /// `frame`: where the values are on the host. Its owner holds it as long as it offers the copy.
  void add(const std::byte* frame, Held offer);
  /// One on `device` itself, else on another. Null: there is none.
  [[nodiscard]] Held find(const std::byte* frame, const device::Device& device);
  /// From now on nobody finds it. Returns whether somebody still copies from it.
  [[nodiscard]] bool remove(const std::byte* frame, const Held& offer);

 private:
  std::mutex mutex_;
  std::unordered_multimap<const std::byte*, Held> offers_;
};

}  // namespace blockyard::block
