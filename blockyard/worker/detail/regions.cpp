// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/regions.h"

#include <fmt/format.h>

#include <cstring>

#include "blockyard/base/error.h"

namespace blockyard::worker::detail {

using base::Errc;
using base::Error;

Regions::Regions(const Naming& naming, const std::vector<std::int64_t>& index_values,
                 block::FramePool& frames)
    : naming_(naming),
      index_values_(index_values),
      frames_(frames),
      regions_(naming.program.arrays.size()),
      bounds_(naming.program.selectors.size()) {}

Regions::~Regions() {
  for (auto& of_array : regions_)
    for (Region& region : of_array) frames_.recycle(std::move(region.frame));
}

void Regions::bind(std::int32_t selector, std::span<const std::int64_t> lows_highs) {
  bounds_[static_cast<std::size_t>(selector)] =
      flow::region_of(naming_, selector_at(selector), index_values_, lows_highs);
}

std::string Regions::name_of(std::int32_t selector) const {
  const program::Selector& selected = selector_at(selector);
  return flow::print_region(naming_.array(selected.array),
                            std::span(bounds(selector)).first(2 * selected.indexes.size()));
}

void Regions::allocate(std::int32_t selector) {
  const std::int32_t array = selector_at(selector).array;
  auto& regions = regions_[static_cast<std::size_t>(array)];
  for (const Region& other : regions)
    if (flow::overlap(bounds(selector), other.bounds, grid(array).order()))
      throw Error(Errc::bad_input,
                  fmt::format("allocate contiguous {}: it overlaps a region that is allocated; "
                              "deallocate that one first",
                              name_of(selector)));
  Region region{bounds(selector), flow::shape_of(grid(array), bounds(selector)), nullptr};
  region.frame = frames_.allocate(static_cast<std::size_t>(region.shape.element_count()) *
                                  array::bytes_of(type_of(array)));
  std::memset(region.frame->data(), 0, region.frame->size());
  regions.push_back(std::move(region));
}

void Regions::deallocate(std::int32_t selector) {
  auto& regions = regions_[static_cast<std::size_t>(selector_at(selector).array)];
  const auto region = std::ranges::find(regions, bounds(selector), &Region::bounds);
  if (region == regions.end())
    throw Error(
        Errc::bad_input,
        fmt::format("deallocate contiguous {}: no region was allocated with just these ranges",
                    name_of(selector)));
  frames_.recycle(std::move(region->frame));
  regions.erase(region);
}

View Regions::view(std::int32_t selector) {
  const std::int32_t array = selector_at(selector).array;
  const RegionBounds& wanted = bounds(selector);
  const std::size_t order = grid(array).order();
  for (Region& region : regions_[static_cast<std::size_t>(array)]) {
    if (!flow::is_inside(wanted, region.bounds, order)) continue;
    View result = View::dense(region.frame->data(), region.shape, type_of(array));
    for (std::size_t k = 0; k < order; ++k)
      result.advance(
          (grid(array).offset(k, wanted[2 * k]) - grid(array).offset(k, region.bounds[2 * k])) *
          result.strides[k]);
    result.shape = flow::shape_of(grid(array), wanted);
    return result;
  }
  throw Error(Errc::bad_input,
              fmt::format("contiguous local block {} must be explicitly allocated: no region holds "
                          "all of it",
                          name_of(selector)));
}

void Regions::save(std::int32_t array, const AddFrame& add) const {
  for (const Region& region : regions_[static_cast<std::size_t>(array)]) {
    SavedFrame saved{.kind = SavedFrame::Kind::region, .id = {array, 0}};
    for (std::size_t k = 0; k < grid(array).order(); ++k) {
      saved.low[k] = region.bounds[2 * k];
      saved.high[k] = region.bounds[2 * k + 1];
    }
    add(saved, region.frame);
  }
}

bool Regions::restore(const SavedFrame& saved, block::Frame frame) {
  const array::Grid& over = grid(saved.id.array);
  Region region{{}, {}, std::move(frame)};
  for (std::size_t k = 0; k < over.order(); ++k) {
    if (!over.contains(k, saved.low[k]) || !over.contains(k, saved.high[k])) return false;
    region.bounds[2 * k] = saved.low[k];
    region.bounds[2 * k + 1] = saved.high[k];
  }
  region.shape = flow::shape_of(over, region.bounds);
  const bool fits = static_cast<std::size_t>(region.shape.element_count()) *
                        array::bytes_of(type_of(saved.id.array)) ==
                    saved.bytes;
  regions_[static_cast<std::size_t>(saved.id.array)].push_back(std::move(region));
  return fits;
}

bool Regions::restore(const std::vector<RegionBounds>& bounds) {
  if (bounds.size() != bounds_.size()) return false;
  bounds_ = bounds;
  return true;
}

}  // namespace blockyard::worker::detail
