// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "blockyard/fabric/fabric.h"

namespace blockyard::ring {

/// A travelling item. The views are valid during apply and part only.
struct Item {
  int origin = 0;           ///< the rank that gave it
  std::int64_t number = 0;  ///< among those that this rank gave, from 0
  std::span<const std::byte> head;
  std::span<const std::byte> payload;
};

/// Updates a slice as items pass it. The ring calls one function of it at a time, from
/// the thread of its rank.
class Update {
 public:
  virtual ~Update() = default;
  /// Takes the items into the slice, which may be any state, not only a sum. One or several at
  /// once, in the order in which they came; that order differs between places and runs.
  virtual void apply(std::span<const Item> items, std::span<std::byte> slice) = 0;
  /// The part that a place needs of an item sent to it directly; null: all of it.
  [[nodiscard]] virtual fabric::Payload part(const Item& /*item*/, int /*place*/) {
    return nullptr;
  }
};

}  // namespace blockyard::ring
