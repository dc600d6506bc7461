// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "blockyard/plan/frame_model.h"
#include "blockyard/plan/lru.h"
#include "blockyard/plan/machine.h"
#include "blockyard/plan/work.h"

namespace blockyard::plan {

/// The workers of a run in virtual time: a clock and a cache of block names for each.
/// One thread.
class RankModel {
 public:
  static constexpr int everybody = -1;

  RankModel(const PlanLayout& layout, const Machine& machine);

  void begin_program();
  /// From now on one worker works, or all do the same.
  void switch_to(int worker);
  [[nodiscard]] int current() const { return current_; }
  /// How many workers do the current work.
  [[nodiscard]] double multiplicity() const {
    return current_ == everybody ? static_cast<double>(clocks_.size()) : 1.0;
  }
  /// The worker that works spends a core's time; or waits for a transfer, which look-ahead overlaps
  /// with its work as far as it can.
  void compute(double seconds) { compute_ += seconds; }
  void transfer(double seconds) { transfer_ += seconds; }
  /// Seconds that compute() and transfer() come to since the last switch.
  [[nodiscard]] double pending() const;
  /// Forgets them: of an iteration that is accounted for in another way.
  void drop_pending() { compute_ = transfer_ = 0; }
  [[nodiscard]] double worker_bytes() const { return layout_.worker_bytes; }
  [[nodiscard]] int all_workers() const { return layout_.all_workers(); }
  /// A server is busy.
  void serve(double seconds) { server_seconds_ += seconds; }
  /// The disks of the servers are busy, concurrently with everything else.
  void use_disk(double seconds) { disk_seconds_ += seconds; }
  [[nodiscard]] double clock(int worker) const { return clocks_[static_cast<std::size_t>(worker)]; }
  /// All workers share this much work evenly; none works less than `longest`.
  void share_out(double core_seconds, double transfer_seconds, double longest);

  /// All workers wait for the last one. Returns the time.
  double meet(double seconds);
  void clear_caches();
  void forget_array(std::int32_t array);

  /// Whether the working worker's cache has the block; if not, it is added, and
  /// others are evicted, least recently used first, until all are within `room` bytes.
  bool request(std::uint64_t key, double bytes, bool is_foreign, double room);
  [[nodiscard]] bool is_foreign(std::uint64_t number) const;
  /// Share of blocks that live in other processes.
  [[nodiscard]] double foreign_share() const {
    return 1.0 - 1.0 / static_cast<double>(layout_.processes);
  }
  /// The most that caches held since the program began: in total, and of foreign blocks.
  [[nodiscard]] double peak_cached() const { return peak_cached_; }
  [[nodiscard]] double peak_foreign() const { return peak_foreign_; }
  /// Caches held this much, in a loop that was sampled.
  void note_cached(double bytes, double foreign_bytes);

 private:
  struct Cache {
    Lru blocks;
    double foreign_bytes = 0;
  };
  [[nodiscard]] Cache& cache() {
    return caches_[static_cast<std::size_t>(current_ == everybody ? 0 : current_)];
  }
  void flush();

  PlanLayout layout_;
  const Machine& machine_;
  std::vector<double> clocks_;
  std::vector<Cache> caches_;
  int current_ = everybody;
  double compute_ = 0;
  double transfer_ = 0;
  double core_seconds_ = 0;    ///< of all workers since all met
  double server_seconds_ = 0;  ///< of all servers since all met
  double disk_seconds_ = 0;    ///< of all disks since all met
  double met_ = 0;             ///< when all met
  double peak_cached_ = 0;
  double peak_foreign_ = 0;
};

}  // namespace blockyard::plan
