// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "blockyard/lattice/checkpoint.h"
#include "blockyard/lattice/g4_run.h"
#include "blockyard/lattice/simulate.h"
#include "blockyard/lattice/walker.h"
#include "blockyard/ring/ring.h"

namespace blockyard::lattice {

/// Mean of a series of orders with weights, and its integrated autocorrelation time by binning. One
/// thread.
class OrderSeries {
 public:
  void add(double order, double weight) {
    series_.push_back(order);
    weighted_ += weight * order;
    weights_ += weight;
  }
  [[nodiscard]] double mean() const noexcept { return weights_ > 0 ? weighted_ / weights_ : 0; }
  /// In samples; 1/2 where they are independent.
  [[nodiscard]] double autocorrelation() const;
  void save(base::FieldWriter& out) const { out.fields(series_, weighted_, weights_); }
  void load(base::FieldReader& in) { in.fields(series_, weighted_, weights_); }

 private:
  std::vector<double> series_;
  double weighted_ = 0;
  double weights_ = 0;
};

/// The walkers of one rank: those whose number is its own modulo the ranks. They walk in rounds,
/// all of them a number of steps in each; with checkpoints everything lands between two rounds, and
/// the state may be saved. A step is one of warm-up or one sample. One thread.
class RankWalk {
 public:
  struct Setting {
    const HubbardJob& job;
    const BareTime& bare;
    ring::Member& member;
    base::BufferPool& pool;
    G4Run& run;
    std::function<void(std::int64_t samples)> sampled;
    SavedHead head;            ///< what a checkpoint of this run says of it
    CheckpointFolder* folder;  ///< at rank 0, where there are checkpoints
    const CheckpointIn* from;  ///< null: from the start
  };
  explicit RankWalk(Setting setting);

  /// Collective. Throws Error{comm}, which says how to go on, if the run was asked to end.
  void walk();
  /// Collective.
  [[nodiscard]] WalkReport report();

 private:
  struct Place {
    std::int64_t number = 0;
    Walker walker;
    OrderSeries orders;
    std::int64_t warm = 0;  ///< sweeps of warm-up that are done
    std::int64_t given = 0;
  };
  /// The step of all ranks after a round.
  struct Decision {
    bool is_over = false;
    bool saves = false;
    bool ends = false;
  };
  [[nodiscard]] std::int64_t samples_of(const Place& place) const;
  [[nodiscard]] int bin_of_next(const Place& place) const;
  void load(Place& place);
  [[nodiscard]] std::vector<std::byte> states() const;
  void advance(Place& place, std::int64_t steps);
  [[nodiscard]] Decision decide(double round_seconds);
  void save();

  Setting setting_;
  std::vector<Place> places_;
  std::int64_t steps_ = 1;  ///< of each walker in the next round
  int answered_ = 0;        ///< requests for checkpoints
};

}  // namespace blockyard::lattice
