// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace blockyard::ring {

/// The route of items from the place that gives them to the others.
enum class Route : std::uint8_t {
  ring,   ///< from neighbour to neighbour, whole
  direct  ///< from the giver to each place, its part only
};

/// An item of a lane: the place that gave it, and its number among those this place gave to the
/// lane, from 0.
struct ItemName {
  int origin = 0;
  std::int64_t number = 0;
  friend auto operator<=>(const ItemName&, const ItemName&) = default;
};

/// One place's view of a lane.
struct LaneShape {
  int place = 0;
  int places = 1;
  int slots = 3;             ///< items from elsewhere that a place has room for; at least 2
  bool is_leftward = false;  ///< items go to place - 1 instead of place + 1
};

/// An item that is to be sent now.
struct Send {
  int to = 0;
  ItemName item;
};

/// Notice that `origin` gave `count` items and gives no more.
struct Ending {
  int to = 0;
  int origin = 0;
  std::int64_t count = 0;
};

/// Slots of this place that are free again, for the place that may fill them.
struct Credit {
  int to = 0;
  int slots = 0;
};

/// One lane as one place sees it: which items may go where, and when all have passed. It moves
/// nothing itself: the owner reports events and carries out requests. The messages of a place
/// to another have to arrive in the order of sending. One thread.
///
/// No slot is ever promised twice: the sender of an item holds a credit for its slot. Items of a
/// place's own stay with it until they were sent, in no slot. Calls that break the protocol throw
/// Error{internal}.
class Flow {
 public:
  virtual ~Flow() = default;

  /// Whether this place may give an item now. If not, credits have to come, or items to be used.
  [[nodiscard]] virtual bool may_give() const = 0;
  /// Returns the name of the item. REQUIRES: may_give().
  virtual ItemName give() = 0;
  virtual void end_giving() = 0;

  /// An item, credits, or an ending came from another place.
  virtual void arrive(int from, ItemName item) = 0;
  virtual void take_credit(int from, int slots) = 0;
  virtual void hear_ending(int origin, std::int64_t count) = 0;
  /// The update has taken an item in, an own one or one that arrived.
  virtual void used(ItemName item) = 0;

  /// The next message to send, until there is none. Items go before endings.
  [[nodiscard]] virtual std::optional<Send> next_send() = 0;
  [[nodiscard]] virtual std::optional<Ending> next_ending() = 0;
  [[nodiscard]] virtual std::optional<Credit> next_credit() = 0;

  /// Whether the item still has to be sent from here.
  [[nodiscard]] virtual bool is_to_send(ItemName item) const = 0;
  /// Whether all items of all places were used here, and none is left to send.
  [[nodiscard]] virtual bool is_over() const = 0;
};

/// Throws Error{bad_input} for a shape that cannot be.
[[nodiscard]] std::unique_ptr<Flow> make_flow(Route route, const LaneShape& shape);

}  // namespace blockyard::ring
