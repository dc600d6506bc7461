// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace blockyard::blas {

/// Divides a result into parts: devices take parts from the front, the local library from the
/// back, until they meet. A part of a device that is late is also computed here; whichever is
/// complete first writes it. What a device ends without, another one takes, or the local library.
/// One thread for each device, numbered from 0, and one for the local side.
class Shares {
 public:
  struct Range {
    std::int64_t from = 0, to = 0;
    friend bool operator==(const Range&, const Range&) = default;
  };
  /// reserved: the part the local side leaves to the device at first, however fast it is.
  explicit Shares(std::int64_t extent, std::int64_t reserved = 0, int devices = 1);

  // Of a device's side.

  /// Nothing: all is taken.
  [[nodiscard]] std::optional<Range> take_front(std::int64_t width, int device = 0);
  /// The part that begins there is in flight. has_left: whether it is no longer read from the
  /// program's memory; called by the other side while it is on its way.
  void note_under_way(std::int64_t from, std::function<bool()> has_left);
  /// Whether its result may be written: no, where it was late.
  [[nodiscard]] bool begin_write(std::int64_t from);
  void end_write(std::int64_t from);
  /// The device takes nothing any more, and touches nothing of the program.
  void end_front(int device = 0);

  // Of the local side.

  [[nodiscard]] std::optional<Range> take_back(std::int64_t width);
  /// When all parts are taken: returns a part to compute here, since it is late or since the
  /// device has ended without it. Nothing: all is complete, but for what this gave.
  [[nodiscard]] std::optional<Range> wait_for_late();
  /// When all devices have ended: what none of them has computed, a part at a time.
  [[nodiscard]] std::optional<Range> wait_for_rest();
  /// How much is complete from the front on.
  [[nodiscard]] std::int64_t front_complete() const;
  /// Extents that the device has written.
  [[nodiscard]] std::int64_t written() const;

 private:
  enum class State { taken, under_way, writing, complete, late };
  struct Part {
    Range range;
    int device = 0;
    State state = State::taken;
    double began = 0;
    std::function<bool()> has_left;
  };
  [[nodiscard]] Part& part_at(std::int64_t from);
  [[nodiscard]] std::optional<Range> claim();

  mutable std::mutex mutex_;  ///< guards the rest
  std::condition_variable changed_;
  std::vector<Part> parts_;      ///< of the front
  std::vector<Range> returned_;  ///< by devices that have ended without them
  std::int64_t front_ = 0, back_;
  std::int64_t reserved_;
  double began_;
  double longest_seconds_ = 0;  ///< of a part of the device that is complete
  int devices_left_;
};

}  // namespace blockyard::blas
