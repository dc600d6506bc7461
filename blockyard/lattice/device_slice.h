// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "blockyard/device/device.h"
#include "blockyard/lattice/green.h"
#include "blockyard/lattice/sample.h"
#include "blockyard/lattice/two_particle.h"
#include "blockyard/ring/exact.h"
#include "blockyard/ring/update.h"

namespace blockyard::lattice {

/// A slice of G4 in the memory of a device, which computes tiles and adds samples there, out of
/// items in its memory. apply() enqueues on the stream of its caller and waits for the batch before
/// the last one only; read() and write() want that stream to be at rest. One thread.
///
/// On one kind of device a sample adds the same numbers whichever place computes them; other kinds
/// and TwoParticle differ by rounding.
class DeviceSlice {
 public:
  struct Setting {
    const Cluster* cluster = nullptr;
    SliceShape shape;
    ring::Range units;
    std::span<const Complex> g0;
    std::optional<ring::ExactScale> exact;
    /// Items are Green's functions: the tiles of this set, or those of `set`. Null: samples.
    const TileSet* whole = nullptr;
  };
  /// Null: the device can use no form of the kernels. Throws Error{no_memory} if it has no room.
  /// `set` has the tiles that the units need. The slice is zero.
  [[nodiscard]] static std::unique_ptr<DeviceSlice> open(device::Device& device,
                                                         const Setting& setting,
                                                         const TileSet& set);
  ~DeviceSlice();
  DeviceSlice(const DeviceSlice&) = delete;
  DeviceSlice& operator=(const DeviceSlice&) = delete;

  /// Takes in the items, whose payloads are at their addresses.
  void apply(std::span<const ring::Item> items, device::Stream& stream);

  /// The slice as TwoParticle has it, from and to memory of the host.
  void read(std::span<std::byte> slice);
  void write(std::span<const std::byte> slice);
  /// Memory for phases, products and the numbers of a sample.
  [[nodiscard]] std::int64_t work_bytes() const noexcept;
  /// The largest contribution above the bound of exact sums, so far; 0: there was none.
  [[nodiscard]] double worst();

 private:
  class State;
  explicit DeviceSlice(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// What a place needs besides slice and tiles: for samples with that many vertices of each spin.
[[nodiscard]] Extent device_work_bytes(const Axes& axes, std::int64_t vertices);

}  // namespace blockyard::lattice
