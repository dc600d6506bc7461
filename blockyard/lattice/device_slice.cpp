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
using detail::G4Spin;
using device::KernelRun;
using device::Memory;

namespace {

struct Plans {
  device::Plan phases, right, tiles, add;
};

/// Nothing: the device takes no form of them.
std::optional<Plans> open_plans(device::Device& device, bool is_exact) {
  auto phases = device.open_kernel(detail::phases_kernel());
  if (!phases) return std::nullopt;
  auto right = device.open_kernel(detail::right_kernel());
  auto tiles = device.open_kernel(detail::tiles_kernel());
  auto add = device.open_kernel(is_exact ? detail::add_exactly_kernel() : detail::add_kernel());
  if (!right || !tiles || !add) return std::nullopt;
  return Plans{std::move(*phases), std::move(*right), std::move(*tiles), std::move(*add)};
}

/// What of a batch goes to the device. The host keeps it until `is_sent`.
struct Staged {
  std::vector<double> numbers;       ///< times and walker matrices
  std::vector<std::int32_t> wholes;  ///< sites and bands of vertices
  std::vector<double> tiles;         ///< or the tiles of the samples
  std::vector<double> signs;
  std::vector<std::int32_t> slots;
  std::vector<std::array<G4Spin, 2>> spins;  ///< by sample; none with tiles
  device::Event is_sent;
};

struct Taken {
  Complex sign;
  int bin = 0;
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
        staged_{{{{}, {}, {}, {}, {}, {}, device.open_event()},
                 {{}, {}, {}, {}, {}, {}, device.open_event()}}} {
    const Axes& axes = setting.shape.axes;
    extents_ = {axes.sites,        axes.bands,
                axes.compact(),    axes.extended(),
                axes.offset(),     setting.shape.exchange_momenta,
                axes.exchange,     static_cast<int>(setting.shape.channels.size()),
                setting.shape.bins};
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
      stream_.synchronise();
    } catch (const base::Error&) {  // nobody reads the slice any more
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void begin() {
    at_ = 1 - at_;
    Staged& staged = staged_[at_];
    staged.is_sent.wait();
    staged.numbers.clear();
    staged.wholes.clear();
    staged.tiles.clear();
    staged.signs.clear();
    staged.slots.clear();
    staged.spins.clear();
    taken_.clear();
  }

  void take(const Sample& sample, Complex sign, int bin) {
    Staged& staged = staged_[at_];
    auto& spins = staged.spins.emplace_back();
    for (std::size_t s = 0; s < 2; ++s) {
      const SpinSample& from = sample.spins[s];
      spins[s] = {static_cast<Extent>(staged.numbers.size()),
                  static_cast<Extent>(staged.wholes.size()),
                  static_cast<Extent>(taken_.size() * set_.values()),
                  static_cast<int>(from.count()),
                  static_cast<int>(s),
                  from.imaginary.empty() ? 0 : 1,
                  columns_count_};
      for (const Vertex& vertex : from.vertices) staged.numbers.push_back(vertex.tau);
      for (const auto* values : {&from.real, &from.imaginary})
        staged.numbers.insert(staged.numbers.end(), values->begin(), values->end());
      for (const Vertex& vertex : from.vertices) staged.wholes.push_back(vertex.site);
      for (const Vertex& vertex : from.vertices) staged.wholes.push_back(vertex.band);
    }
    taken_.push_back({sign, bin});
  }

  std::span<double> take_tiles(Complex sign, int bin) {
    Staged& staged = staged_[at_];
    taken_.push_back({sign, bin});
    staged.tiles.resize(taken_.size() * set_.values());
    return std::span(staged.tiles).last(set_.values());
  }

  void add() {
    if (taken_.empty() || units_.empty()) return;
    Staged& staged = staged_[at_];
    sort_by_bin(staged);
    need(tiles_, bytes_of(taken_.size() * set_.values()));
    send(staged.tiles, tiles_);
    send(staged.numbers, numbers_);
    send(staged.wholes, wholes_);
    send(staged.signs, signs_);
    send(staged.slots, slots_);
    stream_.record(staged.is_sent);
    for (const auto& spins : staged.spins)
      for (const G4Spin& spin : spins) make_tiles(spin);
    for (std::size_t first = 0; first < taken_.size();) {
      const int bin = of_slot(staged, first).bin;
      std::size_t end = first;
      while (end < taken_.size() && of_slot(staged, end).bin == bin) ++end;
      add_bin({static_cast<int>(first), static_cast<int>(end - first), bin, 0});
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
  /// At least so much; the contents may go.
  void need(Memory& memory, Extent bytes) {
    if (memory.bytes() >= bytes) return;
    memory = Memory();
    memory = room(bytes + bytes / 4);
  }
  template <class T>
  void send(const std::vector<T>& values, Memory& to) {
    const auto bytes = std::as_bytes(std::span(values));
    need(to, static_cast<Extent>(bytes.size()));
    if (!bytes.empty()) stream_.copy_in(to.address(), bytes);
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
    }
    columns_count_ = static_cast<int>(number.size());
    for (const Complex& value : setting_.g0)
      tables_.g0.insert(tables_.g0.end(), {value.real(), value.imag()});
    send(tables_.index, index_);
    send(tables_.turns, turns_);
    send(tables_.channels, channels_);
    send(tables_.phases, phases_);
    send(tables_.frequencies, frequencies_);
    send(tables_.pairs, pairs_);
    send(tables_.columns, columns_);
    send(tables_.g0, g0_);
  }

  [[nodiscard]] const Taken& of_slot(const Staged& staged, std::size_t n) const {
    return taken_[static_cast<std::size_t>(staged.slots[n])];
  }
  /// Samples of a bin follow each other in slots and signs.
  void sort_by_bin(Staged& staged) {
    staged.slots.resize(taken_.size());
    std::iota(staged.slots.begin(), staged.slots.end(), 0);
    std::ranges::stable_sort(staged.slots, {}, [&](std::int32_t slot) {
      return taken_[static_cast<std::size_t>(slot)].bin;
    });
    for (std::size_t n = 0; n < taken_.size(); ++n) {
      const Complex half = of_slot(staged, n).sign / 2.0;
      staged.signs.insert(staged.signs.end(), {half.real(), half.imag()});
    }
  }

  static KernelRun& with(KernelRun& run, const Memory& memory) {
    return run.memory(memory.address(), memory.bytes());
  }

  void make_tiles(const G4Spin& spin) {
    const Extent nk = extents_.momenta;
    const auto pairs = static_cast<Extent>(set_.pairs().size());
    const Extent of_frequency = nk * spin.count * 2 * bytes_of(1);
    need(left_, of_frequency * extents_.extended);
    need(right_, of_frequency * columns_count_ * extents_.bands);
    if (spin.count > 0) {
      KernelRun phases({nk * spin.count, extents_.extended, 1});
      for (const Memory* memory : {&left_, &numbers_, &wholes_, &phases_, &frequencies_})
        with(phases, *memory);
      stream_.run(plans_.phases, phases.value(spin).value(extents_));
      KernelRun right({nk * spin.count, columns_count_, extents_.bands});
      for (const Memory* memory : {&right_, &left_, &numbers_, &wholes_, &columns_})
        with(right, *memory);
      stream_.run(plans_.right, right.value(spin).value(extents_));
    }
    KernelRun tiles({nk * nk, pairs, 1});
    for (const Memory* memory : {&tiles_, &left_, &right_, &wholes_, &pairs_, &g0_})
      with(tiles, *memory);
    stream_.run(plans_.tiles, tiles.value(setting_.shape.axes.beta).value(spin).value(extents_));
  }

  void add_bin(G4Batch batch) {
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
      stream_.run(plans_.add, run);
    }
  }

  struct Tables {
    std::vector<std::int32_t> index, turns, channels, pairs, columns;
    std::vector<double> phases, frequencies, g0;
  };

  device::Device& device_;
  Setting setting_;
  const TileSet& set_;
  Plans plans_;
  device::Stream stream_;
  G4Extents extents_{};
  int columns_count_ = 0;
  Tables tables_;
  Memory index_, turns_, channels_, phases_, frequencies_, pairs_, columns_, g0_;
  std::vector<Memory> units_;
  Memory tiles_, left_, right_, numbers_, wholes_, signs_, slots_, worst_;
  std::array<Staged, 2> staged_;
  std::size_t at_ = 0;
  std::vector<Taken> taken_;  ///< of the present batch
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

void DeviceSlice::begin() { state_->begin(); }
void DeviceSlice::take(const Sample& sample, Complex sign, int bin) {
  state_->take(sample, sign, bin);
}
std::span<double> DeviceSlice::take_tiles(Complex sign, int bin) {
  return state_->take_tiles(sign, bin);
}
void DeviceSlice::add() { state_->add(); }
void DeviceSlice::read(std::span<std::byte> slice) { state_->read(slice); }
void DeviceSlice::write(std::span<const std::byte> slice) { state_->write(slice); }
double DeviceSlice::worst() { return state_->worst(); }

Extent device_work_bytes(const Axes& axes, std::int64_t vertices) {
  // Phases and products of one spin, and the sample itself, some of it twice.
  const Extent of_frequency = Extent{axes.sites} * vertices * 2 * bytes_of(1);
  const Extent of_sample = 4 * vertices * (vertices + 2) * bytes_of(1);
  return of_frequency * axes.extended() * (1 + axes.bands) + of_sample;
}

}  // namespace blockyard::lattice
