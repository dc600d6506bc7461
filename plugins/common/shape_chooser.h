// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace blockyard::plugin {

/// Chooses one of a few ways to launch a kernel on grids of about one size, by the times that it
/// is told. It reads no clock and no file. One thread.
///
/// Each way is tried twice in the first runs, as long as trials cost less than 3 % of all time
/// plus 20 ms; a way that the driver must compile first only when that fits too. A way replaces
/// the chosen one if it is faster by 2 %, once all were tried by 10 %. Later the runner-up is
/// tried again at run 16, 32, 64, ...
class ShapeChooser {
 public:
  /// What is compiled for a way: ways with equal numbers are compiled together.
  struct Build {
    int number = 0;
    double seconds = 0.1;  ///< taken for what a compiler needs
    Build(int of, double lasting = 0.1) : number(of), seconds(lasting) {}
  };
  /// One build for each way. first: the way to begin with.
  explicit ShapeChooser(std::vector<Build> builds, std::size_t first = 0, bool is_known = false);

  /// The way of the next run.
  [[nodiscard]] std::size_t next();
  /// How long a run of this way took that next() had proposed; seconds for each element, elements.
  void measured(std::size_t way, double element_seconds, double elements);

  [[nodiscard]] std::size_t chosen() const noexcept { return chosen_; }
  /// Whether no trial of the first runs is left.
  [[nodiscard]] bool is_settled() const noexcept;
  /// Seconds for each element as far as known; 0: not measured.
  [[nodiscard]] double element_seconds(std::size_t way) const { return ways_[way].seconds; }
  /// What trials have cost over the chosen way.
  [[nodiscard]] double trial_seconds() const noexcept { return trial_seconds_; }

 private:
  struct Way {
    Build build;
    int runs = 0;        ///< proposed
    double seconds = 0;  ///< of an element
  };
  [[nodiscard]] bool is_built(int build) const;
  [[nodiscard]] bool is_affordable(const Way& way) const;
  [[nodiscard]] std::size_t runner_up() const;
  void choose();

  std::vector<Way> ways_;
  std::vector<int> built_;  ///< of which a run was measured
  std::size_t chosen_;
  bool is_known_;  ///< by an earlier process: no trials of the first runs
  std::size_t runs_ = 0;
  double elements_ = 0;  ///< of the last run
  double total_seconds_ = 0, trial_seconds_ = 0;
};

}  // namespace blockyard::plugin
