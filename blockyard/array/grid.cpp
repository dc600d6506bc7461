// SPDX-License-Identifier: Apache-2.0
#include "blockyard/array/grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace blockyard::array {
namespace {

constexpr std::int64_t most = std::int64_t{1} << 62;

/// a * b. Throws Error{bad_input} past 2^62: no such array can be stored anywhere.
std::int64_t product(std::int64_t a, std::int64_t b) {
  if (a != 0 && b > most / a)
    throw base::Error(base::Errc::bad_input, "an array of more than 2^62 elements or blocks");
  return a * b;
}

}  // namespace

Grid::Grid(std::vector<Axis> axes) : axes_(std::move(axes)) {
  std::int64_t blocks = 1;
  for (Axis& axis : axes_) {
    strides_.push_back(static_cast<std::uint64_t>(blocks));
    blocks = product(blocks, static_cast<std::int64_t>(axis.extents.size()));
    axis.offsets.resize(axis.extents.size());
    std::exclusive_scan(axis.extents.begin(), axis.extents.end(), axis.offsets.begin(), Extent{0});
    element_count_ = product(element_count_, std::reduce(axis.extents.begin(), axis.extents.end()));
    largest_block_ =
        product(largest_block_, axis.extents.empty() ? 0 : *std::ranges::max_element(axis.extents));
  }
  block_count_ = static_cast<std::uint64_t>(blocks);
}

void Grid::segments_of(std::uint64_t number, std::span<std::int64_t> segments) const noexcept {
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    const std::uint64_t length = axes_[k].extents.size();
    segments[k] = axes_[k].first + static_cast<std::int64_t>(number % length);
    number /= length;
  }
}

Extent Grid::element_count(std::span<const std::int64_t> segments) const noexcept {
  Extent count = 1;
  for (std::size_t k = 0; k < axes_.size(); ++k) count *= extent(k, segments[k]);
  return count;
}

std::string print_segments(std::span<const std::int64_t> segments) {
  return fmt::format("[{}]", fmt::join(segments, ","));
}

}  // namespace blockyard::array
