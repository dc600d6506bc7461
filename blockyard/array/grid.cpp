// SPDX-License-Identifier: Apache-2.0
#include "blockyard/array/grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "blockyard/base/error.h"

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
  for (const Axis& axis : axes_) {
    strides_.push_back(static_cast<std::uint64_t>(blocks));
    blocks = product(blocks, axis.count());
    element_count_ = product(element_count_, axis.element_count());
    largest_block_ = product(largest_block_, axis.longest());
  }
  block_count_ = static_cast<std::uint64_t>(blocks);
}

void Grid::segments_of(std::uint64_t number, std::span<std::int64_t> segments) const noexcept {
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    const auto count = static_cast<std::uint64_t>(axes_[k].count());
    segments[k] = axes_[k].first() + static_cast<std::int64_t>(number % count);
    number /= count;
  }
}

Extent Grid::element_count(std::span<const std::int64_t> segments) const noexcept {
  Extent count = 1;
  for (std::size_t k = 0; k < axes_.size(); ++k) count *= extent(k, segments[k]);
  return count;
}

Grid grid_of(std::span<const std::vector<Extent>> segments) {
  std::vector<Axis> axes;
  for (const std::vector<Extent>& extents : segments)
    axes.emplace_back(IndexKind::simple, 1, extents);
  return Grid(std::move(axes));
}

std::string print_segments(std::span<const std::int64_t> segments) {
  return fmt::format("[{}]", fmt::join(segments, ","));
}

}  // namespace blockyard::array
