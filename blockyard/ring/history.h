// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "blockyard/base/fields.h"

namespace blockyard::ring {

/// The activity of a rank over time, in at most most_bins bins of equal length: when a run outgrows
/// them, their length doubles. Its memory does not depend on the length of the run. One thread.
class History {
 public:
  static constexpr std::size_t most_bins = 96;
  enum class Row : std::uint8_t {
    update_seconds,
    wait_for_items_seconds,
    wait_for_slots_seconds,
    own_bytes,      ///< of items given here: the most in a bin
    visiting_bytes  ///< of items of other ranks: the most in a bin
  };
  enum class LaneRow : std::uint8_t { applied, sent_bytes };

  /// Starts the clock, once; times below are those of base::now_seconds().
  void begin(double now, std::size_t lanes);
  void spend(Row row, double from, double to);
  /// The level from now on.
  void hold(Row row, double now, std::int64_t bytes);
  void count(LaneRow row, std::size_t lane, double now, std::int64_t amount);

  [[nodiscard]] double bin_seconds() const noexcept { return bin_seconds_; }
  [[nodiscard]] std::size_t lanes() const noexcept;
  /// By bin.
  [[nodiscard]] std::span<const double> row(Row row) const;
  [[nodiscard]] std::span<const double> row(LaneRow row, std::size_t lane) const;

  void save(base::FieldWriter& out) const { out.fields(bin_seconds_, rows_); }
  void load(base::FieldReader& in) { in.fields(bin_seconds_, rows_); }

 private:
  /// The bin of a time, which exists then.
  std::size_t bin_at(double now);
  void halve();

  double begin_ = -1;
  double bin_seconds_ = 1e-3;
  std::vector<std::vector<double>> rows_;
  std::vector<double> levels_;  ///< by row, of those that are levels
};

}  // namespace blockyard::ring
