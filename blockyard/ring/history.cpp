// SPDX-License-Identifier: Apache-2.0
#include "blockyard/ring/history.h"

#include <algorithm>

namespace blockyard::ring {

namespace {

constexpr std::size_t own_rows = 5;
constexpr std::size_t first_level = 3;
constexpr std::size_t lane_rows = 2;

bool is_level(std::size_t row) { return row >= first_level && row < own_rows; }

}  // namespace

void History::begin(double now, std::size_t lanes) {
  if (begin_ < 0) begin_ = now;
  const std::size_t bins = rows_.empty() ? 0 : rows_.front().size();
  rows_.resize(std::max(rows_.size(), own_rows + lane_rows * lanes));
  for (auto& row : rows_) row.resize(bins);
  levels_.resize(own_rows);
}

std::size_t History::lanes() const noexcept {
  return rows_.size() < own_rows ? 0 : (rows_.size() - own_rows) / lane_rows;
}

void History::spend(Row row, double from, double to) {
  const std::size_t last = bin_at(to);  // may change the length of bins
  const std::size_t first = bin_at(from);
  auto& bins = rows_[static_cast<std::size_t>(row)];
  for (std::size_t bin = first; bin <= last; ++bin) {
    const double begin = begin_ + static_cast<double>(bin) * bin_seconds_;
    bins[bin] += std::max(0.0, std::min(to, begin + bin_seconds_) - std::max(from, begin));
  }
}

void History::hold(Row row, double now, std::int64_t bytes) {
  const std::size_t bin = bin_at(now);
  const auto at = static_cast<std::size_t>(row);
  levels_[at] = static_cast<double>(bytes);
  rows_[at][bin] = std::max(rows_[at][bin], levels_[at]);
}

void History::count(LaneRow row, std::size_t lane, double now, std::int64_t amount) {
  const std::size_t bin = bin_at(now);
  rows_.at(own_rows + lane_rows * lane + static_cast<std::size_t>(row))[bin] +=
      static_cast<double>(amount);
}

std::span<const double> History::row(Row row) const {
  return rows_.at(static_cast<std::size_t>(row));
}

std::span<const double> History::row(LaneRow row, std::size_t lane) const {
  return rows_.at(own_rows + lane_rows * lane + static_cast<std::size_t>(row));
}

std::size_t History::bin_at(double now) {
  const double time = std::max(0.0, now - begin_);
  while (time >= bin_seconds_ * static_cast<double>(most_bins)) halve();
  const auto bin = std::min(most_bins - 1, static_cast<std::size_t>(time / bin_seconds_));
  for (std::size_t row = 0; row < rows_.size(); ++row)
    if (rows_[row].size() <= bin) rows_[row].resize(bin + 1, is_level(row) ? levels_[row] : 0.0);
  return bin;
}

/// Two bins become one.
void History::halve() {
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    auto& bins = rows_[row];
    for (std::size_t bin = 0; 2 * bin < bins.size(); ++bin) {
      const double first = bins[2 * bin];
      const double second = 2 * bin + 1 < bins.size() ? bins[2 * bin + 1] : 0.0;
      bins[bin] = is_level(row) ? std::max(first, second) : first + second;
    }
    bins.resize((bins.size() + 1) / 2);
  }
  bin_seconds_ *= 2;
}

}  // namespace blockyard::ring
