// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/device_slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <numeric>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/lattice/detail/device_kernels.h"

namespace blockyard::lattice {

using detail::G4Batch;
using detail::G4Extents;
using detail::G4Item;
using detail::G4Spin;
using device::KernelRun;
using device::Memory;

namespace {

struct Plans {
  device::Plan unpack, pick, phases, right, tiles, add;
};

/// Nothing: the device takes no form of them.
std::optional<Plans> open_plans(device::Device& device, bool is_exact) {
  auto unpack = device.open_kernel(detail::unpack_kernel());
  if (!unpack) return std::nullopt;
  auto pick = device.open_kernel(detail::pick_kernel());
  auto phases = device.open_kernel(detail::phases_kernel());
  auto right = device.open_kernel(detail::right_kernel());
  auto tiles = device.open_kernel(detail::tiles_kernel());
  auto add = device.open_kernel(is_exact ? detail::add_exactly_kernel() : detail::add_kernel());
  if (!pick || !phases || !right || !tiles || !add) return std::nullopt;
  return Plans{std::move(*unpack), std::move(*pick),  std::move(*phases),
               std::move(*right),  std::move(*tiles), std::move(*add)};
}

/// What of a batch the host keeps until `is_sent`.
struct Staged {
  std::vector<double> signs;
  std::vector<std::int32_t> slots;
  device::Event is_sent;
};

Extent bytes_of(std::size_t values) { return static_cast<Extent>(values * sizeof(double)); }

}  // namespace

class DeviceSlice::State {
 public:
  State(device::Device& device, const Setting& setting, const TileSet& set, Plans plans)
      : device_(device),
        setting_(setting),
        set_(set),
        plans_(std::move(plans)),
        stream_(device.open_stream()),
        staged_{{{{}, {}, device.open_event()}, {{}, {}, device.open_event()}}} {
    const Axes& axes = setting.shape.axes;
    extents_ = {axes.sites,     axes.bands,
                axes.compact(), axes.extended(),
                axes.offset(),  setting.shape.exchange_momenta,
                axes.exchange,  static_cast<int>(setting.shape.channels.size())};
    make_tables();
    const Extent unit = bytes_of(setting.shape.unit_values());
    for (Extent k = 0; k < setting.units.count(); ++k) {
      units_.push_back(room(unit));
      stream_.fill(units_.back().address(), BLOCKYARD_F64, 0.0, unit / bytes_of(1));
    }
    worst_ = room(bytes_of(1));
    stream_.fill(worst_.address(), BLOCKYARD_F64, 0.0, 1);
    stream_.synchronise();  // the tables of the host may go
  }

  /// A run that fails leaves work in flight that reads memory of this object.
  ~State() {
    try {
      for (const Staged& staged : staged_) staged.is_sent.wait();
      stream_.synchronise();
    } catch (const base::Error&) {  // nobody reads the slice any more
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void apply(std::span<const ring::Item> items, device::Stream& stream) {
    if (items.empty() || units_.empty()) return;
    at_ = 1 - at_;
    Staged& staged = staged_[at_];
    staged.is_sent.wait();
    heads_.clear();
    for (const ring::Item& item : items) heads_.push_back(decode_head(item.head));
    sort_by_bin(staged);
    send(staged.signs, signs_, stream);
    send(staged.slots, slots_, stream);
    stream.record(staged.is_sent);
    need(tiles_, bytes_of(items.size() * set_.values()));
    for (std::size_t n = 0; n < items.size(); ++n) {
      const auto tiles = static_cast<Extent>(n * set_.values());
      setting_.whole != nullptr ? pick(items[n], heads_[n], tiles, stream)
                                : compute(items[n], heads_[n], tiles, stream);
    }
    for (std::size_t first = 0; first < items.size();) {
      const int bin = of_slot(staged, first).bin;
      std::size_t end = first;
      while (end < items.size() && of_slot(staged, end).bin == bin) ++end;
      add_bin({static_cast<int>(first), static_cast<int>(end - first), bin, 0}, stream);
      first = end;
    }
  }

  void read(std::span<std::byte> slice) {
    for (std::size_t k = 0; k < units_.size(); ++k)
      stream_.copy_out(unit_of(slice, k), units_[k].address());
    stream_.synchronise();
  }
  void write(std::span<const std::byte> slice) {
    for (std::size_t k = 0; k < units_.size(); ++k)
      stream_.copy_in(units_[k].address(), unit_of(slice, k));
    stream_.synchronise();
  }
  [[nodiscard]] std::int64_t work_bytes() const noexcept {
    return left_.bytes() + right_.bytes() + numbers_.bytes() + wholes_.bytes();
  }
  double worst() {
    double worst = 0;
    stream_.copy_out(std::as_writable_bytes(std::span(&worst, 1)), worst_.address());
    stream_.synchronise();
    return worst;
  }

 private:
  [[nodiscard]] Memory room(Extent bytes) {
    auto memory = device_.allocate(std::max<Extent>(bytes, bytes_of(1)));
    if (!memory)
      throw base::Error(
          base::Errc::no_memory,
          fmt::format(
              "device {} does not have room for {} more: use longer rings (--ring), fewer bins "
              "or channels, or --device none",
              device_.describe().name, base::format_bytes(bytes)));
    return std::move(*memory);
  }
  /// At least that many; the contents may go.
  void need(Memory& memory, Extent bytes) {
    if (memory.bytes() >= std::max<Extent>(bytes, 1)) return;  // a kernel takes no empty memory
    memory = Memory();
    memory = room(bytes + bytes / 4);
  }
  template <class T>
  void send(const std::vector<T>& values, Memory& to, device::Stream& stream) {
    const auto bytes = std::as_bytes(std::span(values));
    need(to, static_cast<Extent>(bytes.size()));
    if (!bytes.empty()) stream.copy_in(to.address(), bytes);
  }
  template <class Byte>
  [[nodiscard]] std::span<Byte> unit_of(std::span<Byte> slice, std::size_t k) const {
    const std::size_t length = setting_.shape.unit_values() * sizeof(double);
    return slice.subspan(k * length, length);
  }

  /// Tables of what never changes; REQUIRES: the stream is synchronised before they go.
  void make_tables() {
    const Axes& axes = setting_.shape.axes;
    const Cluster& cluster = *setting_.cluster;
    for (int row = 0; row < axes.extended(); ++row)
      for (int column = 0; column < axes.extended(); ++column)
        tables_.index.push_back(
            set_.has(row, column) ? static_cast<std::int32_t>(set_.find(row, column)) : 0);
    for (const int q : cluster.exchange()) {
      for (int k = 0; k < axes.sites; ++k) tables_.turns.push_back(cluster.minus(q, k));
      for (int k = 0; k < axes.sites; ++k) tables_.turns.push_back(cluster.add(k, q));
    }
    for (const Channel channel : setting_.shape.channels)
      tables_.channels.push_back(static_cast<std::int32_t>(channel));
    for (const bool is_real : {true, false})
      for (int k = 0; k < axes.sites; ++k)
        for (int site = 0; site < axes.sites; ++site) {
          const Complex phase = cluster.phase(k, site);
          tables_.phases.push_back(is_real ? phase.real() : phase.imag());
        }
    for (int w = 0; w < axes.extended(); ++w) tables_.frequencies.push_back(axes.frequency(w));
    std::map<int, int> number;
    for (const TileSet::Pair& pair : set_.pairs()) {
      const auto [at, is_new] = number.emplace(pair.column, static_cast<int>(number.size()));
      if (is_new) tables_.columns.push_back(pair.column);
      tables_.pairs.insert(tables_.pairs.end(), {pair.row, pair.column, at->second});
      if (setting_.whole != nullptr)
        tables_.order.push_back(
            static_cast<std::int32_t>(setting_.whole->find(pair.row, pair.column)));
    }
    columns_count_ = static_cast<int>(number.size());
    for (const Complex& value : setting_.g0)
      tables_.g0.insert(tables_.g0.end(), {value.real(), value.imag()});
    send(tables_.index, index_, stream_);
    send(tables_.turns, turns_, stream_);
    send(tables_.channels, channels_, stream_);
    send(tables_.phases, phases_, stream_);
    send(tables_.frequencies, frequencies_, stream_);
    send(tables_.pairs, pairs_, stream_);
    send(tables_.columns, columns_, stream_);
    send(tables_.order, order_, stream_);
    send(tables_.g0, g0_, stream_);
  }

  [[nodiscard]] const ItemHead& of_slot(const Staged& staged, std::size_t n) const {
    return heads_[static_cast<std::size_t>(staged.slots[n])];
  }
  /// Samples of a bin follow each other in slots and signs.
  void sort_by_bin(Staged& staged) {
    staged.slots.resize(heads_.size());
    std::iota(staged.slots.begin(), staged.slots.end(), 0);
    std::ranges::stable_sort(staged.slots, {}, [&](std::int32_t slot) {
      return heads_[static_cast<std::size_t>(slot)].bin;
    });
    staged.signs.clear();
    for (std::size_t n = 0; n < heads_.size(); ++n)
      for (const double part : {of_slot(staged, n).sign_real, of_slot(staged, n).sign_imaginary})
        staged.signs.push_back(part / 2.0);
  }

  static KernelRun& with(KernelRun& run, const Memory& memory) {
    return run.memory(memory.address(), memory.bytes());
  }

  /// The tiles of a Green's function, from `tiles` on.
  void pick(const ring::Item& item, const ItemHead& head, Extent tiles, device::Stream& stream) {
    const std::size_t width = head.is_single != 0 ? sizeof(float) : sizeof(double);
    const auto bytes = static_cast<std::size_t>(item.bytes);
    const bool is_part = bytes == set_.values() * width;
    base::require(is_part || bytes == setting_.whole->values() * width,
                  "a Green's function travels whole, or as the tiles of a place");
    const auto pairs = static_cast<Extent>(set_.pairs().size());
    const Extent length = static_cast<Extent>(set_.values()) / std::max<Extent>(1, pairs);
    KernelRun run({length, pairs, 1});
    with(run, tiles_).memory(item.address, item.bytes).memory(item.address, item.bytes);
    stream.run(plans_.pick,
               with(run, order_).value(G4Item{0, tiles, length, head.is_single, is_part ? 1 : 0}));
  }

  /// The tiles of a sample, from `tiles` on.
  void compute(const ring::Item& item, const ItemHead& head, Extent tiles, device::Stream& stream) {
    for (int s = 0; s < 2; ++s) {
      const auto at = static_cast<std::size_t>(s);
      const Extent n = head.vertices[at];
      const G4Spin spin{0, 0, tiles, head.vertices[at], s, head.is_complex[at], columns_count_};
      const Extent count = n + n * n * (1 + spin.is_complex);
      need(numbers_, bytes_of(static_cast<std::size_t>(count)));
      need(wholes_, 2 * n * static_cast<Extent>(sizeof(std::int32_t)));
      if (n > 0) {
        KernelRun run({count, 1, 1});
        with(with(run, numbers_), wholes_);
        for (int kind = 0; kind < 3; ++kind) run.memory(item.address, item.bytes);
        const Extent from = s == 0 ? 2 : second_vertices(head);
        stream.run(plans_.unpack, run.value(G4Item{from, 0, 0, head.is_single, 0}).value(spin));
      }
      make_tiles(spin, stream);
    }
  }

  void make_tiles(const G4Spin& spin, device::Stream& stream) {
    const Extent nk = extents_.momenta;
    const auto pairs = static_cast<Extent>(set_.pairs().size());
    const Extent of_frequency = nk * spin.count * 2 * bytes_of(1);
    need(left_, of_frequency * extents_.extended);
    need(right_, of_frequency * columns_count_ * extents_.bands);
    if (spin.count > 0) {
      KernelRun phases({nk * spin.count, extents_.extended, 1});
      for (const Memory* memory : {&left_, &numbers_, &wholes_, &phases_, &frequencies_})
        with(phases, *memory);
      stream.run(plans_.phases, phases.value(spin).value(extents_));
      KernelRun right({nk * spin.count, columns_count_, extents_.bands});
      for (const Memory* memory : {&right_, &left_, &numbers_, &wholes_, &columns_})
        with(right, *memory);
      stream.run(plans_.right, right.value(spin).value(extents_));
    }
    KernelRun tiles({nk * nk, pairs, 1});
    for (const Memory* memory : {&tiles_, &left_, &right_, &wholes_, &pairs_, &g0_})
      with(tiles, *memory);
    stream.run(plans_.tiles, tiles.value(setting_.shape.axes.beta).value(spin).value(extents_));
  }

  void add_bin(G4Batch batch, device::Stream& stream) {
    const Extent nk = extents_.momenta;
    const Extent rows = Extent{1} * extents_.compact * extents_.transfers * extents_.exchange;
    for (std::size_t k = 0; k < units_.size(); ++k) {
      batch.unit = static_cast<int>(setting_.units.begin) + static_cast<int>(k);
      KernelRun run({nk * nk, rows, Extent{2} * extents_.channels});
      for (const Memory* memory :
           {&units_[k], &tiles_, &signs_, &slots_, &index_, &turns_, &channels_})
        with(run, *memory);
      run.value(static_cast<Extent>(set_.values())).value(batch).value(extents_);
      if (setting_.exact)
        with(run.value(setting_.exact->scale()).value(setting_.exact->bound()), worst_);
      stream.run(plans_.add, run);
    }
  }

  struct Tables {
    std::vector<std::int32_t> index, turns, channels, pairs, columns, order;
    std::vector<double> phases, frequencies, g0;
  };

  device::Device& device_;
  Setting setting_;
  const TileSet& set_;
  Plans plans_;
  device::Stream stream_;  ///< of what is not a batch
  G4Extents extents_{};
  int columns_count_ = 0;
  Tables tables_;
  Memory index_, turns_, channels_, phases_, frequencies_, pairs_, columns_, order_, g0_;
  std::vector<Memory> units_;
  Memory tiles_, left_, right_, numbers_, wholes_, signs_, slots_, worst_;
  std::array<Staged, 2> staged_;
  std::size_t at_ = 0;
  std::vector<ItemHead> heads_;  ///< of the present batch
};

DeviceSlice::DeviceSlice(std::unique_ptr<State> state) : state_(std::move(state)) {}
DeviceSlice::~DeviceSlice() = default;

std::unique_ptr<DeviceSlice> DeviceSlice::open(device::Device& device, const Setting& setting,
                                               const TileSet& set) {
  auto plans = open_plans(device, setting.exact.has_value());
  if (!plans) return nullptr;
  return std::unique_ptr<DeviceSlice>(
      new DeviceSlice(std::make_unique<State>(device, setting, set, std::move(*plans))));
}

void DeviceSlice::apply(std::span<const ring::Item> items, device::Stream& stream) {
  state_->apply(items, stream);
}
void DeviceSlice::read(std::span<std::byte> slice) { state_->read(slice); }
void DeviceSlice::write(std::span<const std::byte> slice) { state_->write(slice); }
std::int64_t DeviceSlice::work_bytes() const noexcept { return state_->work_bytes(); }
double DeviceSlice::worst() { return state_->worst(); }

Extent device_work_bytes(const Axes& axes, std::int64_t vertices) {
  // Phases and products of one spin, and the sample itself, some of it twice.
  const Extent of_frequency = Extent{axes.sites} * vertices * 2 * bytes_of(1);
  const Extent of_sample = 4 * vertices * (vertices + 2) * bytes_of(1);
  return of_frequency * axes.extended() * (1 + axes.bands) + of_sample;
}

}  // namespace blockyard::lattice
