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

namespace blockyard::lattice {

/// A slice of G4 in the memory of a device, which computes tiles and adds samples there. All work
/// is in order on one stream, and no call but begin(), read() and write() waits for it. One thread.
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
  };
  /// Null: the device can use no form of the kernels. Throws Error{no_memory} if it has no room.
  /// `set` has the tiles that the units need. The slice is zero.
  [[nodiscard]] static std::unique_ptr<DeviceSlice> open(device::Device& device,
                                                         const Setting& setting,
                                                         const TileSet& set);
  ~DeviceSlice();
  DeviceSlice(const DeviceSlice&) = delete;
  DeviceSlice& operator=(const DeviceSlice&) = delete;

  /// A batch: begin, then take each sample as what it is or as its tiles, then add. The arguments
  /// may go when a call returns.
  void begin();
  void take(const Sample& sample, Complex sign, int bin);
  /// Returns where the caller puts the tiles of a sample, set.values() of them, before add().
  [[nodiscard]] std::span<double> take_tiles(Complex sign, int bin);
  /// Every sample of a batch is taken in the same way.
  void add();

  /// The slice as TwoParticle has it, from and to memory of the host.
  void read(std::span<std::byte> slice);
  void write(std::span<const std::byte> slice);
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
