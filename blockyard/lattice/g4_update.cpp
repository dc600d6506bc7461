// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/g4_update.h"

#include <algorithm>

#include "blockyard/base/error.h"

namespace blockyard::lattice {

namespace {

/// Copies the tiles of `to_set` out of values in the order of `from_set`.
template <class T, class U>
void copy_tiles(const T* from, const TileSet& from_set, U* to, const TileSet& to_set) {
  const std::size_t values = to_set.tile_values();
  for (std::size_t k = 0; k < to_set.pairs().size(); ++k) {
    const TileSet::Pair& pair = to_set.pairs()[k];
    const T* tile = from + from_set.find(pair.row, pair.column) * values;
    std::transform(tile, tile + values, to + k * values,
                   [](T value) { return static_cast<U>(value); });
  }
}

}  // namespace

G4Update::G4Update(const Setting& setting, const ring::Layout& layout, const ring::Seat& seat,
                   base::BufferPool& pool)
    : setting_(setting),
      layout_(layout),
      seat_(seat),
      pool_(pool),
      whole_(setting.shape.axes, setting.shape.channels, {0, setting.shape.units()}),
      mine_(setting.shape.axes, setting.shape.channels, layout.range(seat)),
      of_places_(static_cast<std::size_t>(layout.places(seat.ring))),
      green_(*setting.cluster, setting.shape.axes, setting.g0),
      cut_(cut_batch(setting.shape, layout.range(seat).count(), setting.batch, false)) {
  const ring::Range mine = layout.range(seat);
  if (setting.device != nullptr)
    device_ = DeviceSlice::open(*setting.device,
                                {setting.cluster, setting.shape, mine, setting.g0, setting.exact,
                                 setting.travel == Travel::g ? &whole_ : nullptr},
                                mine_);
  if (device_) {
    cut_ = cut_batch(setting.shape, mine.count(), setting.batch, true);
    return;
  }
  for (Extent begin = mine.begin; begin < mine.end; begin += cut_.units)
    parts_.emplace_back(setting, ring::Range{begin, std::min(mine.end, begin + cut_.units)});
}

G4Update::Part::Part(const Setting& setting, const ring::Range& its_units)
    : units(its_units),
      set(setting.shape.axes, setting.shape.channels, units),
      sums(*setting.cluster, setting.shape, set, units, setting.plain_kernels) {}

BatchCut cut_batch(const SliceShape& shape, Extent units, int batch, bool on_device) {
  constexpr Extent least_bytes = Extent{64} << 20;
  constexpr Extent share_of_slice = 8;
  units = std::max<Extent>(1, units);
  const Extent slice_bytes = units * static_cast<Extent>(shape.unit_values() * sizeof(double));
  const Extent most_bytes = std::max(least_bytes, slice_bytes / share_of_slice);
  BatchCut cut{units, batch, 0};
  const auto fits = [&] { return cut.batch * tile_bytes(shape, cut.units) <= most_bytes; };
  // A pair of frequencies that is in two parts is computed twice, so both are cut in turn.
  while (!fits() && (cut.batch > 1 || (cut.units > 1 && !on_device)))
    if (cut.batch > 1 && (on_device || cut.batch >= cut.units || cut.units == 1))
      --cut.batch;
    else
      cut.units = (cut.units + 1) / 2;
  cut.tiles_bytes = cut.batch * tile_bytes(shape, cut.units);
  return cut;
}

void G4Update::make_tiles(const ring::Item& item, const TileSet& into, std::span<double> tiles) {
  if (setting_.travel == Travel::sample) {
    green_.compute(decode(item.payload), into, tiles);
    return;
  }
  const bool is_single = decode_head(item.head).is_single != 0;
  const std::size_t width = is_single ? sizeof(float) : sizeof(double);
  const bool is_whole = item.payload.size() == whole_.values() * width;
  base::require(is_whole || item.payload.size() == mine_.values() * width,
                "a Green's function travels whole, or as the tiles of a place");
  const TileSet& set = is_whole ? whole_ : mine_;
  if (is_single)
    copy_tiles(reinterpret_cast<const float*>(item.payload.data()), set, tiles.data(), into);
  else
    copy_tiles(reinterpret_cast<const double*>(item.payload.data()), set, tiles.data(), into);
}

void G4Update::read(std::span<std::byte> slice) {
  device_->read(slice);
  if (!setting_.exact) return;
  const double worst = device_->worst();
  if (worst != 0) ring::refuse_contribution(worst, setting_.exact->bound(), setting_.bound_option);
}

void G4Update::write(std::span<const std::byte> slice) { device_->write(slice); }

void G4Update::apply(std::span<const ring::Item> items, const ring::Slice& slice,
                     device::Stream* stream) {
  most_items_ = std::max(most_items_, items.size());
  if (device_) return device_->apply(items, *stream);
  const auto unit_bytes = setting_.shape.unit_values() * sizeof(double);
  for (Part& part : parts_) {
    const auto first = static_cast<std::size_t>(part.units.begin - parts_.front().units.begin);
    add(items, part,
        slice.host.subspan(first * unit_bytes,
                           static_cast<std::size_t>(part.units.count()) * unit_bytes));
  }
}

void G4Update::add(std::span<const ring::Item> items, Part& part, std::span<std::byte> sums) {
  if (tiles_.size() < items.size()) tiles_.resize(items.size());
  std::vector<SampleTiles> samples;
  for (std::size_t k = 0; k < items.size(); ++k) {
    const ItemHead head = decode_head(items[k].head);
    tiles_[k].resize(part.set.values());
    make_tiles(items[k], part.set, tiles_[k]);
    samples.push_back({{head.sign_real, head.sign_imaginary}, head.bin, tiles_[k].data()});
  }
  if (!setting_.exact)
    return part.sums.add(samples, {reinterpret_cast<double*>(sums.data()), sums.size() / 8});
  const double most = part.sums.add_exactly(
      samples, {reinterpret_cast<std::int64_t*>(sums.data()), sums.size() / 8}, *setting_.exact);
  if (!(most <= setting_.exact->bound()))
    ring::refuse_contribution(most, setting_.exact->bound(), setting_.bound_option);
}

std::int64_t G4Update::tiles_bytes() const noexcept {
  std::size_t most_values = device_ ? mine_.values() : 0;
  for (const Part& part : parts_) most_values = std::max(most_values, part.set.values());
  return static_cast<std::int64_t>(most_items_ * most_values * sizeof(double)) +
         (device_ ? device_->work_bytes() : green_.work_bytes());
}

fabric::Payload G4Update::part(const ring::Item& item, int place) {
  if (setting_.travel == Travel::sample) return nullptr;
  std::optional<TileSet>& of_place = of_places_[static_cast<std::size_t>(place)];
  if (!of_place)
    of_place.emplace(setting_.shape.axes, setting_.shape.channels,
                     layout_.range({seat_.ring, place}));
  const TileSet& set = *of_place;
  const bool is_single = decode_head(item.head).is_single != 0;
  base::Buffer part = pool_.allocate(set.values() * (is_single ? sizeof(float) : sizeof(double)));
  if (is_single)
    copy_tiles(reinterpret_cast<const float*>(item.payload.data()), whole_, part.as<float>(), set);
  else
    copy_tiles(reinterpret_cast<const double*>(item.payload.data()), whole_, part.as<double>(),
               set);
  return std::make_shared<const base::Buffer>(std::move(part));
}

fabric::Payload G4Update::packed(std::span<const double> tiles) {
  base::Buffer packed =
      pool_.allocate(tiles.size() * (setting_.is_single ? sizeof(float) : sizeof(double)));
  if (setting_.is_single)
    std::transform(tiles.begin(), tiles.end(), packed.as<float>(),
                   [](double value) { return static_cast<float>(value); });
  else
    std::ranges::copy(tiles, packed.as<double>());
  return std::make_shared<const base::Buffer>(std::move(packed));
}

fabric::Payload G4Update::payload_of(const Sample& sample) {
  if (setting_.travel == Travel::sample) {
    base::Buffer payload = pool_.allocate(payload_bytes(sample, setting_.is_single));
    encode(sample, setting_.is_single, payload.bytes());
    return std::make_shared<const base::Buffer>(std::move(payload));
  }
  std::vector<double> tiles(whole_.values());
  green_.compute(sample, whole_, tiles);
  return packed(tiles);
}

fabric::Payload G4Update::payload_of(std::span<const double> all_tiles) {
  const TileSet all = TileSet::all(setting_.shape.axes);
  base::require(all_tiles.size() == all.values(), "a Green's function has all its tiles");
  std::vector<double> tiles(whole_.values());
  copy_tiles(all_tiles.data(), all, tiles.data(), whole_);
  return packed(tiles);
}

std::function<void()> sample_work(const G4Update::Setting& setting) {
  struct Work {
    TileSet set;
    std::unique_ptr<DeviceSlice> slice;
    device::Stream stream;
    ItemHead head;
  };
  const ring::Range unit{0, 1};
  const auto work =
      std::make_shared<Work>(Work{TileSet(setting.shape.axes, setting.shape.channels, unit),
                                  nullptr,
                                  setting.device->open_stream(),
                                  {}});
  work->slice = DeviceSlice::open(
      *setting.device, {setting.cluster, setting.shape, unit, setting.g0, {}, nullptr}, work->set);
  if (!work->slice) return {};
  return [work, batch = setting.batch] {
    ring::Item item;
    item.head = std::as_bytes(std::span(&work->head, 1));
    const std::vector<ring::Item> items(static_cast<std::size_t>(batch), item);
    work->slice->apply(items, work->stream);
    work->stream.synchronise();
  };
}

Extent tile_bytes(const SliceShape& shape, Extent units) {
  const TileSet set(shape.axes, shape.channels, {0, units});
  return static_cast<Extent>(set.values() * sizeof(double));
}

}  // namespace blockyard::lattice
