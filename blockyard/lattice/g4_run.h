// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/base/buffer.h"
#include "blockyard/lattice/averages.h"
#include "blockyard/lattice/channel.h"
#include "blockyard/lattice/exact_bounds.h"
#include "blockyard/lattice/g4_update.h"
#include "blockyard/lattice/matrices.h"
#include "blockyard/lattice/problem.h"
#include "blockyard/ring/ring.h"

namespace blockyard::lattice {

/// How G4 is accumulated and written; the same at all ranks, but for memory and devices.
struct G4Options {
  /// Empty: averages only, and nothing travels.
  std::vector<Channel> channels{all_channels.begin(), all_channels.end()};
  int ring = 0;  ///< ranks of a ring; 0: the smallest that fits
  ring::Options flow;
  Travel travel = Travel::automatic;
  bool is_single = false;  ///< what travels is c64; sums stay double
  bool is_exact = false;
  double bound = 0;  ///< of a contribution to exact sums of G4; 0: from the first sample
  std::string_view bound_option = "--bound";  ///< what sets it: a literal
  int bins = 1;  ///< from 2 on: error bars, at this many times the memory
  /// With one bin, rings are bins from 4 of them on (bins_of_rings): error bars for which only
  /// rank 0 needs more memory. Not with parts, nor with checkpoints, which add rings up.
  bool may_bin_by_ring = true;
  bool normalise = false;
  bool symmetrise = false;  ///< by point group and conjugation; symmetry.h
  bool has_parts = false;   ///< each rank of the first ring writes its slice to a file of its own
  std::int64_t memory_bytes = 0;  ///< of each rank
  /// Of this process, to hold the slices of its ranks, in turn; none: the host does. Others see to
  /// it that they outlive the run.
  std::vector<device::Device*> devices;
  std::int64_t device_bytes = 0;  ///< of each rank on its device; 0: as on the host
  bool leaves_bins_out = false;   ///< the report has GreenEstimate::without
  bool has_matrices = false;  ///< the report tells eigenvalues, of one band and if they are small
  /// Of the lattice that the cluster is embedded in, which outlive the run; none: it is by itself.
  const Patches* patches = nullptr;
};

/// The work and memory of one rank.
struct RankReport {
  int ring = 0;
  int place = 0;
  ring::Counts counts;
  std::int64_t slice_bytes = 0;
  std::int64_t items_bytes = 0;  ///< the most at one time, own ones included; as tiles
  std::int64_t tiles_bytes = 0;  ///< and of what computes them
  std::int64_t peak_bytes = 0;   ///< slice, items and tiles
};

struct G4Report {
  std::int64_t samples = 0;
  Complex sign = 0;
  double sign_error = 0;
  bool has_sign_bins = false;    ///< that error comes from bins
  std::string why_undivided;     ///< empty, or why the result has sums, though averages were wished
  double effective_samples = 0;  ///< Averages::effective_samples
  int ring = 1;
  std::string reason;
  Travel travel = Travel::sample;
  std::string device;  ///< what holds the slice of rank 0; empty: the host
  std::int64_t slice_bytes = 0;
  std::int64_t item_bytes = 0;
  std::vector<RankReport> ranks;
  std::vector<ring::History> histories;     ///< by rank, at rank 0
  GreenEstimate green;                      ///< empty: undivided
  std::vector<Leading> leading;             ///< of the cluster
  std::vector<Leading> leading_of_lattice;  ///< empty without patches
  double seconds = 0;
};

/// The choice of rings for a problem: throws Error{no_memory} or Error{bad_input} if none fits.
struct G4Plan {
  SliceShape shape;
  int ring = 1;
  std::string reason;
  Travel travel = Travel::sample;  ///< never automatic
  std::string travel_reason;
  std::int64_t slice_bytes = 0;
  std::int64_t item_bytes = 0;
  std::int64_t rank_bytes = 0;   ///< with equal slices
  std::int64_t fixed_bytes = 0;  ///< of these, what does not depend on the slice
  /// Of one sample, by its giver and those that forward it, to all other places of the ring.
  std::int64_t sent_bytes = 0;
};
/// vertices: of each spin, at most.
[[nodiscard]] G4Plan plan_g4(const Problem& problem, const G4Options& options, int ranks,
                             std::int64_t vertices);

/// How many bins the rings are: each is one, but more than 16 share those, neighbours with
/// neighbours (ring::group_of). 0: they are no bins.
[[nodiscard]] int bins_of_rings(const G4Options& options, int rings);

/// Collective. The same options with the memory of the rank that may take least, so that all ranks
/// plan alike.
[[nodiscard]] G4Options common_options(fabric::Fabric& fabric, const G4Options& options);

/// What a rank may take, on its device or the host.
[[nodiscard]] std::int64_t budget_of(const G4Options& options);
/// What it takes with that many units. `plan`: of the same options.
[[nodiscard]] std::int64_t memory_of_slice(const G4Plan& plan, const G4Options& options,
                                           Extent units);

/// One rank's part in accumulating G4 and the averages. Made, finished and written by all ranks
/// together. One thread.
class G4Run {
 public:
  /// Collective. exact: agreed by all ranks; used with exact sums only.
  /// samples: of all ranks together, at most.
  G4Run(ring::Member& member, const Problem& problem, const Cluster& cluster,
        const G4Options& options, const G4Plan& plan, base::BufferPool& pool, std::int64_t samples,
        const ExactBounds& exact);
  ~G4Run();
  G4Run(const G4Run&) = delete;
  G4Run& operator=(const G4Run&) = delete;

  /// bin: of the sample, below the number of bins; with rings as bins it does not count.
  void give(const Sample& sample, int bin);
  /// The same of a Green's function in the order of TileSet::all.
  void give(std::span<const double> green, Complex sign, int bin);
  /// Receives pending items, for long work between samples.
  void serve();
  /// Collective. Returns when all that was given has been taken in everywhere. Nothing is given
  /// until go_on().
  void land();
  /// Collective.
  void go_on();
  /// Collective, after land(): the sums of all ranks as bytes, those of averages and of each unit,
  /// at rank 0. The other rings go on from zero.
  [[nodiscard]] std::vector<std::byte> save(
      const std::function<void(Extent unit, std::span<const std::byte> sums)>& visit);
  /// Resumes from the state of save(), with any ranks and rings: at every rank, before any sample.
  void load(std::span<const std::byte> averages,
            const std::function<void(Extent unit, std::span<std::byte> into)>& read);
  /// Collective. No more samples of this rank.
  void finish();
  /// Collective. Rank 0 writes; `path` is of use there only. Returns the report at rank 0.
  [[nodiscard]] G4Report write(const std::string& path);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace blockyard::lattice
