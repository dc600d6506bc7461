// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "blockyard/fabric/fabric.h"
#include "blockyard/ring/flow.h"
#include "blockyard/ring/history.h"
#include "blockyard/ring/layout.h"
#include "blockyard/ring/update.h"

namespace blockyard::ring {

enum class Direction : std::uint8_t {
  right,
  both  ///< every second lane runs the other way
};

struct Options {
  Route route = Route::ring;
  Direction direction = Direction::right;
  int lanes = 1;
  int slots = 3;
  int batch = 8;  ///< items taken in by one update at most
};

inline constexpr std::size_t most_head_bytes = 256;

/// The share of a lane in Counts.
struct LaneCounts {
  std::int64_t given = 0;
  std::int64_t applied = 0;
  std::int64_t sent = 0;
  std::int64_t sent_bytes = 0;
};

/// The activity of a rank in a ring. Seconds of waiting: it had no work meanwhile.
struct Counts {
  std::int64_t given = 0;
  std::int64_t applied = 0;
  std::int64_t updates = 0;  ///< calls; applied / updates items in each
  std::int64_t sent = 0;
  std::int64_t sent_bytes = 0;
  std::int64_t peak_items = 0;       ///< held at one time, own ones included
  std::int64_t peak_slot_bytes = 0;  ///< memory of a device that slots took
  double update_seconds = 0;
  double wait_for_items_seconds = 0;  ///< all has been given, others have not
  double wait_for_slots_seconds = 0;  ///< there is an item to give
  std::vector<LaneCounts> lanes;

  /// Of two rings of a rank, one after the other.
  Counts& operator+=(const Counts& more);
};

/// A rank's fabric, and how many rings there were on it: leftover messages of an earlier one are
/// recognised by that. Made anew at all ranks together.
struct Member {
  explicit Member(fabric::Fabric& its_fabric) : fabric(its_fabric) {}
  fabric::Fabric& fabric;
  std::uint32_t rings = 0;
  History history;  ///< of all of them
};

/// Inputs travel, slices stay: each item that any rank of a ring gives passes the slice of every
/// rank of that ring. Several rings of a run do not hear of each other. A pipeline: an item is sent
/// on while it is used. Payloads are shared by the ranks of a process, never copied there.
/// One thread, that of its rank, which uses the fabric for nothing else meanwhile.
class Ring {
 public:
  /// Collective. `slice`: of this rank's seat, which only `update` writes. On a device, slots are
  /// there too, and updates work on a stream; ranks of one ring may differ in that. The device
  /// outlives the run. Throws Error{bad_input} at all ranks if the layout or the options, but for
  /// the batch, are others at some of them.
  Ring(Member& member, const Layout& layout, const Options& options, Update& update,
       const Slice& slice);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  /// Gives an item, this rank's slice included. Returns when it is on its way, and takes others in
  /// meanwhile. Throws Error{bad_input} if the head is longer than most_head_bytes.
  void give(std::span<const std::byte> head, fabric::Payload payload);
  /// The same of an item that is made on this rank's device: `write` enqueues on the stream what
  /// writes `bytes` at the address. It is sent once that is done.
  void give(std::span<const std::byte> head, Extent bytes,
            const std::function<void(device::Address address, device::Stream& stream)>& write);
  /// Forwards and receives pending items; does not wait. For long work between items.
  void serve();
  /// This rank gives no more. Returns when every item of the ring was taken in here, and all work
  /// of the device is done. Once.
  void finish();

  [[nodiscard]] const Seat& seat() const noexcept;
  [[nodiscard]] const Counts& counts() const noexcept;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace blockyard::ring
