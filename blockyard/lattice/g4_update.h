// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "blockyard/base/buffer.h"
#include "blockyard/lattice/device_slice.h"
#include "blockyard/lattice/green.h"
#include "blockyard/lattice/two_particle.h"
#include "blockyard/ring/exact.h"
#include "blockyard/ring/update.h"

namespace blockyard::lattice {

/// The part of a sample that travels.
enum class Travel : std::uint8_t {
  automatic,  ///< whichever has fewer bytes; G4Plan says which
  sample,     ///< vertices and walker matrix: each place computes the tiles that it needs
  g           ///< the Green's function: all of it, or on the route `direct` the tiles of a place
};

/// How much of a slice a batch passes at a time, so that its tiles take little memory besides the
/// slice: at most an eighth of it, or 64 MB.
struct BatchCut {
  Extent units = 1;  ///< whose tiles are there at a time
  int batch = 1;     ///< samples
  Extent tiles_bytes = 0;
};
/// `units`: of the slice; batch: at most. On a device all tiles of a sample are there at a time.
[[nodiscard]] BatchCut cut_batch(const SliceShape& shape, Extent units, int batch, bool on_device);

/// Takes samples into a slice of G4, whose values are doubles or, with a scale, exact sums. With a
/// device the slice is there, and apply() only enqueues: read() and write() move it, while the
/// ring's stream is at rest. One thread.
class G4Update final : public ring::Update {
 public:
  struct Setting {
    const Cluster* cluster = nullptr;
    SliceShape shape;
    std::span<const Complex> g0;
    Travel travel = Travel::sample;
    bool is_single = false;  ///< c64 travels
    bool plain_kernels = false;
    std::optional<ring::ExactScale> exact;
    device::Device* device = nullptr;  ///< null, or one that takes no kernels: the host computes
    int batch = 8;                     ///< samples at most
    std::string_view bound_option = "--bound";  ///< what sets the bound of exact sums
  };
  /// The setting's targets must stay, as must layout and pool.
  G4Update(const Setting& setting, const ring::Layout& layout, const ring::Seat& seat,
           base::BufferPool& pool);

  void apply(std::span<const ring::Item> items, const ring::Slice& slice,
             device::Stream* stream) override;
  [[nodiscard]] fabric::Payload part(const ring::Item& item, int place) override;

  /// How many items one update takes.
  [[nodiscard]] int batch() const noexcept { return cut_.batch; }
  /// Memory of the tiles of the largest batch so far, and of what computed them.
  [[nodiscard]] std::int64_t tiles_bytes() const noexcept;
  /// Gives the memory of tiles back; a later update takes it again.
  void release_tiles() noexcept { std::vector<std::vector<double>>().swap(tiles_); }
  [[nodiscard]] bool is_on_device() const noexcept { return device_ != nullptr; }
  /// Its slice on the device, for the ring: in a memory for each unit, as devices limit the bytes
  /// of one. REQUIRES: is_on_device().
  [[nodiscard]] ring::Slice slice() const noexcept { return {{}, setting_.device, 0, 0}; }
  /// The slice from and to the device, once its work is done. REQUIRES: is_on_device().
  /// Throws Error{bad_input} if a contribution to exact sums was above the bound.
  void read(std::span<std::byte> slice);
  void write(std::span<const std::byte> slice);

  /// The payload of a sample in the form that travels.
  [[nodiscard]] fabric::Payload payload_of(const Sample& sample);
  /// The same of a Green's function that a sample has, in the order of TileSet::all.
  [[nodiscard]] fabric::Payload payload_of(std::span<const double> all_tiles);

 private:
  /// Units that are passed together, and the tiles that they need.
  struct Part {
    Part(const Setting& setting, const ring::Range& its_units);
    ring::Range units;
    TileSet set;
    TwoParticle sums;
  };
  void make_tiles(const ring::Item& item, const TileSet& set, std::span<double> tiles);
  void add(std::span<const ring::Item> items, Part& part, std::span<std::byte> sums);
  [[nodiscard]] fabric::Payload packed(std::span<const double> tiles);

  Setting setting_;
  const ring::Layout& layout_;
  ring::Seat seat_;
  base::BufferPool& pool_;
  TileSet whole_;  ///< what all units need: the form of a Green's function that travels whole
  TileSet mine_;
  std::vector<std::optional<TileSet>> of_places_;  ///< of this ring, once a part was made for them
  SampleGreen green_;
  BatchCut cut_;
  std::deque<Part> parts_;                  ///< none on a device
  std::vector<std::vector<double>> tiles_;  ///< of the samples of one call, for one part
  std::size_t most_items_ = 0;              ///< of a batch
  std::unique_ptr<DeviceSlice> device_;
};

/// Updates of one unit on a device by samples without vertices, each done when it returns: to
/// measure how fast the device is. Empty: it takes no kernels. The setting's targets outlive it.
[[nodiscard]] std::function<void()> sample_work(const G4Update::Setting& setting);

/// The bytes of the tiles of a sample for the first `units` units.
[[nodiscard]] Extent tile_bytes(const SliceShape& shape, Extent units);

}  // namespace blockyard::lattice
