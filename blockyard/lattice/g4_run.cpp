// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/g4_run.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/lattice/averages.h"
#include "blockyard/lattice/result_file.h"
#include "blockyard/lattice/result_parts.h"
#include "blockyard/lattice/symmetry.h"
#include "blockyard/ring/result.h"
#include "blockyard/ring/speed.h"

namespace blockyard::lattice {

class G4Run::State {
 public:
  State(ring::Member& member, const Problem& problem, const Cluster& cluster,
        const G4Options& options, const G4Plan& plan, base::BufferPool& pool, std::int64_t samples,
        const ExactBounds& exact)
      : member_(member),
        problem_(problem),
        options_(options),
        plan_(plan),
        pool_(pool),
        layout_(layout_of(member.fabric, problem, cluster, options, plan)),
        seat_(layout_.seat(member.fabric.rank())),
        exact_(options.is_exact ? std::optional(ExactScales(samples, exact, options.bound_option))
                                : std::nullopt),
        ring_bins_(bins_of_rings(options, layout_.rings())),
        shape_of_result_(plan.shape),
        averages_(problem, cluster, ring_bins_ > 0 ? ring_bins_ : options.bins, exact_),
        update_(
            {&cluster, plan.shape, problem.g0, plan.travel, options.is_single, false,
             exact_ ? std::optional(exact_->g4) : std::nullopt,
             device_of(options, member.fabric.rank()), options.flow.batch, options.bound_option},
            layout_, seat_, pool),
        slice_(pool.allocate(static_cast<std::size_t>(layout_.range(seat_).count()) *
                             plan.shape.unit_values() * sizeof(double))),
        began_(base::now_seconds()) {
    shape_of_result_.bins = averages_.bins();
    options_.flow.batch = update_.batch();
    is_on_device_ = update_.is_on_device();
    if (!is_on_device_) clear_slice();
    begin_ring();
  }

  void give(const Sample& sample, int bin) {
    averages_.add(sample, bin_of(bin));
    if (options_.channels.empty()) return;
    give(update_.payload_of(sample), head_of(&sample, sample.sign, bin, options_.is_single));
  }
  void give(std::span<const double> green, Complex sign, int bin) {
    averages_.add(green, sign, bin_of(bin));
    if (options_.channels.empty()) return;
    give(update_.payload_of(green), head_of(nullptr, sign, bin, options_.is_single));
  }
  void serve() { ring_->serve(); }

  void land() { end_ring(); }
  void go_on() {
    if (update_.is_on_device() && !is_on_device_) update_.write(slice_.bytes());
    is_on_device_ = update_.is_on_device();
    begin_ring();
  }

  [[nodiscard]] std::vector<std::byte> save(
      const std::function<void(Extent unit, std::span<const std::byte> sums)>& visit) {
    add_up();
    if (seat_.ring != 0) clear_slice();
    ring::visit_units(member_, layout_, pool_, slice_.bytes(), visit);
    base::FieldWriter out;
    averages_.save(out);
    if (member_.fabric.rank() != 0) averages_.clear();
    return out.take();
  }

  void load(std::span<const std::byte> averages,
            const std::function<void(Extent unit, std::span<std::byte> into)>& read) {
    if (member_.fabric.rank() == 0) {
      base::FieldReader in(averages);
      averages_.load(in);
    }
    if (is_on_device_) clear_slice();
    load_units(read);
    if (is_on_device_) update_.write(slice_.bytes());
  }

  void load_units(const std::function<void(Extent unit, std::span<std::byte> into)>& read) {
    const ring::Range mine = layout_.range(seat_);
    if (seat_.ring != 0 || mine.count() == 0) return;
    const std::size_t length = plan_.shape.unit_values() * sizeof(double);
    for (Extent unit = mine.begin; unit < mine.end && length > 0; ++unit)
      read(unit,
           slice_.bytes().subspan(static_cast<std::size_t>(unit - mine.begin) * length, length));
  }

  void finish() {
    end_ring();
    update_.release_tiles();  // a result is written by copies of units
    add_up();
    if (options_.normalise) why_undivided_ = averages_.why_undivided();
    options_.normalise = options_.normalise && why_undivided_.empty();
  }

  [[nodiscard]] G4Report write(const std::string& path) {
    std::optional<ResultWriter> out;
    std::optional<Matrices> matrices;
    const bool is_first = member_.fabric.rank() == 0;
    if (options_.symmetrise)
      symmetry_.emplace(problem_, shape_of_result_, averages_.sign().imag() == 0);
    const bool has_matrices = options_.has_matrices && why_undivided_.empty();
    if (is_first && has_matrices) matrices.emplace(problem_, shape_of_result_);
    std::optional<ResultParts> parts;
    if (options_.has_parts) parts.emplace(write_parts(path));
    if (is_first) {
      out.emplace(path, problem_, shape_of_result_, averages_, options_.normalise);
      parts ? out->refer_to_parts(layout_, parts->names(layout_.places(0))) : out->begin_units();
    }
    // With parts, units come here for matrices only.
    if (!parts || has_matrices)
      visit_result([&](Extent unit, std::span<const std::byte> bytes) {
        const auto values = values_of(bytes);
        if (!parts) out->write_unit(unit, values);
        if (matrices) matrices->take(unit, values);
      });
    G4Report report = make_report();
    if (out) out->finish();
    if (out && parts) parts->remove_others();
    if (matrices) report.leading = matrices->leading(averages_);
    if (matrices && options_.patches != nullptr)
      report.leading_of_lattice = matrices->leading(averages_, options_.patches);
    return report;
  }

 private:
  void begin_ring() {
    ring_.emplace(member_, layout_, options_.flow, update_,
                  is_on_device_ ? update_.slice() : ring::Slice::on_host(slice_.bytes()));
  }

  /// Collective.
  void end_ring() {
    if (!ring_) return;
    ring_->finish();
    counts_ += ring_->counts();
    ring_.reset();
  }

  /// Collective: the sums of all ranks are in ring 0, and the averages at every rank.
  void add_up() {
    if (is_on_device_) update_.read(slice_.bytes());
    is_on_device_ = false;
    if (ring_bins_ == 0)
      ring::add_rings(member_, layout_, pool_, slice_.bytes(),
                      exact_ ? ring::add_integers() : ring::add_doubles());
    averages_.reduce(member_.fabric);
  }

  /// Of a sample that is given with `bin`, in the averages.
  [[nodiscard]] int bin_of(int bin) const {
    return ring_bins_ > 0 ? ring::group_of(seat_.ring, layout_.rings(), ring_bins_) : bin;
  }

  /// Collective. Units at rank 0, with the bins of shape_of_result_.
  void visit_result(const std::function<void(Extent, std::span<const std::byte>)>& visit) {
    if (ring_bins_ > 0)
      ring::visit_groups(member_, layout_, pool_, slice_.bytes(), ring_bins_, ring::add_doubles(),
                         visit);
    else
      ring::visit_units(member_, layout_, pool_, slice_.bytes(), visit);
  }

  /// Collective. Devices have slices by the speed of their updates, if those fit their memory.
  static ring::Layout layout_of(fabric::Fabric& fabric, const Problem& problem,
                                const Cluster& cluster, const G4Options& options,
                                const G4Plan& plan) {
    const int ranks = fabric.size();
    const ring::Layout equal(ranks, plan.ring, plan.shape.units());
    if (options.devices.empty() || options.channels.empty()) return equal;
    const auto work = sample_work({&cluster,
                                   plan.shape,
                                   problem.g0,
                                   Travel::sample,
                                   false,
                                   false,
                                   {},
                                   device_of(options, fabric.rank()),
                                   options.flow.batch});
    const ring::Layout unequal(ranks, plan.ring, plan.shape.units(),
                               ring::measured_speeds(fabric, work));
    return memory_of_slice(plan, options, unequal.most_units()) <= budget_of(options) ? unequal
                                                                                      : equal;
  }

  /// Devices are dealt out to ranks in turn; without channels there is nothing for them.
  static device::Device* device_of(const G4Options& options, int rank) {
    if (options.devices.empty() || options.channels.empty()) return nullptr;
    return options.devices[static_cast<std::size_t>(rank) % options.devices.size()];
  }

  void clear_slice() {
    if (slice_.size() > 0) std::memset(slice_.data(), 0, slice_.size());
  }

  void give(const fabric::Payload& payload, const ItemHead& head) {
    ring_->give(std::as_bytes(std::span(&head, 1)), payload);
  }

  /// Collective. Each rank of ring 0 writes its slice to a file of its own.
  [[nodiscard]] ResultParts write_parts(const std::string& path) {
    ResultParts parts(member_.fabric, path);
    parts.in_turn([&] {
      if (seat_.ring != 0) return;
      const ring::Range mine = layout_.range(seat_);
      PartWriter part(parts.path(seat_.place), problem_, plan_.shape, averages_, options_.normalise,
                      mine);
      const std::size_t length = plan_.shape.unit_values() * sizeof(double);
      for (Extent unit = mine.begin; unit < mine.end; ++unit)
        part.write_unit(unit, values_of(slice_.bytes().subspan(
                                  static_cast<std::size_t>(unit - mine.begin) * length, length)));
      part.finish();
    });
    return parts;
  }

  /// Sums as doubles, whatever they were added as, symmetrised if that is wished.
  [[nodiscard]] std::span<const double> values_of(std::span<const std::byte> bytes) {
    const std::size_t count = bytes.size() / sizeof(double);
    std::span<const double> values(reinterpret_cast<const double*>(bytes.data()), count);
    if (exact_) {
      values_.resize(count);
      const auto* sums = reinterpret_cast<const std::int64_t*>(bytes.data());
      for (std::size_t i = 0; i < count; ++i) values_[i] = exact_->g4.value_of(sums[i]);
      values = values_;
    }
    return symmetry_ ? symmetry_->average(values) : values;
  }

  /// Collective: what all ranks did, at each of them.
  [[nodiscard]] G4Report make_report() {
    constexpr std::size_t own_fields = 14, lane_fields = 4;
    const std::size_t lanes = static_cast<std::size_t>(options_.flow.lanes);
    const std::size_t fields = own_fields + lane_fields * lanes;
    std::vector<double> mine;
    mine.reserve(fields);
    const ring::Counts& counts = counts_;
    for (const double value :
         {static_cast<double>(counts.given), static_cast<double>(counts.applied),
          static_cast<double>(counts.updates), static_cast<double>(counts.sent),
          static_cast<double>(counts.sent_bytes), static_cast<double>(counts.peak_items),
          counts.update_seconds, counts.wait_for_items_seconds, counts.wait_for_slots_seconds,
          static_cast<double>(slice_.size()), static_cast<double>(seat_.ring),
          static_cast<double>(seat_.place), static_cast<double>(update_.tiles_bytes()),
          static_cast<double>(counts.peak_slot_bytes)})
      mine.push_back(value);
    for (const ring::LaneCounts& lane : counts.lanes)
      for (const std::int64_t value : {lane.given, lane.applied, lane.sent, lane.sent_bytes})
        mine.push_back(static_cast<double>(value));
    const std::vector<double> all = all_of(mine);
    G4Report report;
    for (std::size_t k = 0; k < all.size(); k += fields)
      report.ranks.push_back(rank_of(&all[k], lanes));
    report.histories = histories();
    report.samples = static_cast<std::int64_t>(averages_.count());
    report.sign = averages_.weight() > 0 ? averages_.sign() / averages_.weight() : 0.0;
    report.sign_error = averages_.sign_error();
    report.has_sign_bins = averages_.has_bins();
    report.why_undivided = why_undivided_;
    report.effective_samples = averages_.effective_samples();
    report.ring = plan_.ring;
    report.reason = plan_.reason;
    report.travel = plan_.travel;
    if (update_.is_on_device())
      report.device = device_of(options_, member_.fabric.rank())->describe().name;
    else if (!options_.devices.empty() && !options_.channels.empty())
      report.device = "the host: the device takes no kernels";
    report.slice_bytes = plan_.slice_bytes;
    report.item_bytes = plan_.item_bytes;
    add_green(report);
    report.seconds = base::now_seconds() - began_;
    return report;
  }

  /// Collective. What each rank gives, equally much, in the order of ranks, at each of them.
  [[nodiscard]] std::vector<double> all_of(std::span<const double> mine) {
    std::vector<double> all(mine.size() * static_cast<std::size_t>(member_.fabric.size()));
    std::byte* at = std::as_writable_bytes(std::span(all)).data();
    for (const auto& part : ring::gather(member_, pool_, std::as_bytes(mine)))
      at = std::copy(part.begin(), part.end(), at);
    member_.fabric.broadcast(std::as_writable_bytes(std::span(all)), 0);
    return all;
  }

  /// Collective.
  [[nodiscard]] std::vector<ring::History> histories() {
    base::FieldWriter mine;
    member_.history.save(mine);
    std::vector<ring::History> all;
    for (const auto& bytes : ring::gather(member_, pool_, mine.take())) {
      base::FieldReader in(bytes);
      all.emplace_back().load(in);
    }
    return all;
  }

  [[nodiscard]] RankReport rank_of(const double* f, std::size_t lanes) const {
    const auto whole = [&](std::size_t at) { return static_cast<std::int64_t>(f[at]); };
    RankReport rank;
    rank.counts = {whole(0),  whole(1), whole(2), whole(3), whole(4), whole(5),
                   whole(13), f[6],     f[7],     f[8],     {}};
    rank.slice_bytes = whole(9);
    rank.ring = static_cast<int>(whole(10));
    rank.place = static_cast<int>(whole(11));
    rank.tiles_bytes = whole(12);
    for (std::size_t at = 14; at < 14 + 4 * lanes; at += 4)
      rank.counts.lanes.push_back({whole(at), whole(at + 1), whole(at + 2), whole(at + 3)});
    rank.items_bytes = rank.counts.peak_items * plan_.item_bytes;
    rank.peak_bytes = rank.slice_bytes + rank.items_bytes + rank.tiles_bytes;
    return rank;
  }

  void add_green(G4Report& report) const {
    if (std::abs(averages_.sign()) == 0 || !why_undivided_.empty()) return;
    const auto bands = static_cast<std::size_t>(problem_.axes.bands);
    report.green = green_of(averages_, bands * bands, options_.leaves_bins_out);
  }

  ring::Member& member_;
  const Problem& problem_;
  G4Options options_;
  G4Plan plan_;
  base::BufferPool& pool_;
  ring::Layout layout_;
  ring::Seat seat_;
  std::optional<ExactScales> exact_;
  int ring_bins_;              ///< bins_of_rings
  std::string why_undivided_;  ///< the same at all ranks
  SliceShape shape_of_result_;
  Averages averages_;
  G4Update update_;
  base::Buffer slice_;
  bool is_on_device_ = false;  ///< the sums; slice_ is out of date then
  std::optional<ring::Ring> ring_;
  ring::Counts counts_;  ///< of all rings that ended
  std::optional<Symmetry> symmetry_;
  std::vector<double> values_;
  double began_;
};

G4Run::G4Run(ring::Member& member, const Problem& problem, const Cluster& cluster,
             const G4Options& options, const G4Plan& plan, base::BufferPool& pool,
             std::int64_t samples, const ExactBounds& exact)
    : state_(
          std::make_unique<State>(member, problem, cluster, options, plan, pool, samples, exact)) {}
G4Run::~G4Run() = default;

void G4Run::give(const Sample& sample, int bin) { state_->give(sample, bin); }
void G4Run::give(std::span<const double> green, Complex sign, int bin) {
  state_->give(green, sign, bin);
}
void G4Run::serve() { state_->serve(); }
void G4Run::land() { state_->land(); }
void G4Run::go_on() { state_->go_on(); }
std::vector<std::byte> G4Run::save(
    const std::function<void(Extent, std::span<const std::byte>)>& visit) {
  return state_->save(visit);
}
void G4Run::load(std::span<const std::byte> averages,
                 const std::function<void(Extent, std::span<std::byte>)>& read) {
  state_->load(averages, read);
}
void G4Run::finish() { state_->finish(); }
G4Report G4Run::write(const std::string& path) { return state_->write(path); }

}  // namespace blockyard::lattice
