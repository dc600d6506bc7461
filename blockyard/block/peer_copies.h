// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "blockyard/device/device.h"

namespace blockyard::block {

/// The device copies that workers of a process offer each other, of blocks that never
/// change. Outlived by the devices. Any thread: mutex_ guards the table.
class PeerCopies {
 public:
  struct Offer {
    Offer(const device::Device* of, device::Address at, device::Event event) noexcept
        : device(of), address(at), ready(std::move(event)) {}
    const device::Device* device;
    device::Address address;
    device::Event ready;                 ///< when the values are there
    std::atomic<bool> is_whole = false;  ///< the values were seen to be there
    device::Memory memory;               ///< once its owner ends
  };
  /// Shared by the owner, the table, and peers that copy from it until they are done.
  using Held = std::shared_ptr<Offer>;

  /// `frame`: where the values are on the host. Its owner holds it as long as it offers the copy.
  void add(const std::byte* frame, Held offer);
  /// One that is known to be whole if there is one, then one on `device` itself. Null: there is
  /// none.
  [[nodiscard]] Held find(const std::byte* frame, const device::Device& device);
  /// Hides it from find() from now on. Returns whether a peer still copies from it.
  [[nodiscard]] bool remove(const std::byte* frame, const Held& offer);
  /// Whether only its owner holds a removed offer: then what others did with it is done.
  [[nodiscard]] static bool is_sole_holder(const Held& offer) noexcept;

 private:
  std::mutex mutex_;
  std::unordered_multimap<const std::byte*, Held> offers_;
};

}  // namespace blockyard::block
