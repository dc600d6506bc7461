// SPDX-License-Identifier: Apache-2.0
#include "blockyard/array/axis.h"

#include "blockyard/base/error.h"

namespace blockyard::array {
namespace {

constexpr std::int64_t most = std::int64_t{1} << 62;
/// The runs of up to this many segments are looked up, others are searched for.
constexpr std::size_t most_looked_up = 4096;

}  // namespace

Axis::Axis(IndexKind kind, std::int64_t first, std::span<const Extent> extents)
    : Axis(kind, first) {
  for (const Extent extent : extents) append(extent);
}

void Axis::append(Extent extent, std::int64_t count) {
  if (count <= 0) return;
  if (count > most - count_ || (extent > 0 && count > (most - element_count_) / extent))
    throw base::Error(base::Errc::bad_input, "an index of more than 2^62 elements or segments");
  if (runs_.empty() || runs_.back().extent != extent)
    runs_.push_back({count_, extent, element_count_});
  count_ += count;
  element_count_ += count * extent;
  longest_ = std::max(longest_, extent);
  if (runs_.size() == 1) return;
  const std::size_t looked_up = std::min(most_looked_up, static_cast<std::size_t>(count_));
  for (std::uint32_t run = run_of_.empty() ? 0 : run_of_.back(); run_of_.size() < looked_up;) {
    const auto next = static_cast<std::size_t>(run) + 1;
    if (next < runs_.size() && std::ssize(run_of_) == runs_[next].begin) ++run;
    run_of_.push_back(run);
  }
}

std::vector<Extent> Axis::extents() const {
  std::vector<Extent> all;
  all.reserve(static_cast<std::size_t>(count_));
  for (std::size_t k = 0; k < runs_.size(); ++k) {
    const std::int64_t end = k + 1 < runs_.size() ? runs_[k + 1].begin : count_;
    all.insert(all.end(), static_cast<std::size_t>(end - runs_[k].begin), runs_[k].extent);
  }
  return all;
}

}  // namespace blockyard::array
