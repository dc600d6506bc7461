// SPDX-License-Identifier: Apache-2.0
// The part of Blocks that allocate and deallocate statements use.
#include <fmt/format.h>

#include <cstring>

#include "blockyard/base/error.h"
#include "blockyard/worker/detail/blocks.h"

namespace blockyard::worker::detail {

using base::Errc;
using base::Error;
using program::Selector;

void Blocks::allocate(std::int32_t selector) {
  flow::for_each_selected(naming_, selector_at(selector), index_values_, [&](const Place& place) {
    Slot* slot = find_own(place.id);
    if (slot == nullptr) {
      slot = &make_own(place, Need::prepare);
    } else {
      if (device_ != nullptr) look(*slot, Need::write, place);
      make_writable(*slot, false);
    }
    slot->is_allocated = true;
    std::memset(slot->frame->data(), 0, slot->frame->size());
  });
}

void Blocks::deallocate(std::int32_t selector) {
  flow::for_each_selected(naming_, selector_at(selector), index_values_, [&](const Place& place) {
    auto node = arrays_[static_cast<std::size_t>(place.id.array)].locals.extract(place.id.number);
    if (!node)
      throw Error(Errc::bad_input,
                  fmt::format("attempt to deallocate block {}, which does not exist; was it "
                              "deallocated before, or never allocated?",
                              naming_.block(place.id)));
    recycle(std::move(node.mapped().frame));
  });
}

void Blocks::set_region_bounds(std::int32_t selector, std::span<const std::int64_t> lows_highs) {
  const Selector& selected = selector_at(selector);
  const array::Grid& grid = naming_.tables.grids[static_cast<std::size_t>(selected.array)];
  auto& bounds = region_bounds_[static_cast<std::size_t>(selector)];
  std::size_t next = 0;
  for (std::size_t k = 0; k < selected.indexes.size(); ++k) {
    std::int64_t low = 0;
    std::int64_t high = 0;
    if (selected.indexes[k] >= 0) {
      low = high = value_of(selected.indexes[k]);
      if (!grid.contains(k, low)) report_no_place(selected, k);
    } else {
      low = lows_highs[next++];
      high = lows_highs[next++];
    }
    if (low > high || !grid.contains(k, low) || !grid.contains(k, high)) {
      const auto& axis = grid.axis(k);
      throw Error(
          Errc::bad_input,
          fmt::format("range {}:{} at position {} of contiguous array '{}' is not within its "
                      "segments {}:{}",
                      low, high, k + 1, naming_.array(selected.array), axis.first(), axis.last()));
    }
    bounds[2 * k] = low;
    bounds[2 * k + 1] = high;
  }
}

namespace {

std::string print_region(const std::string& array, std::span<const std::int64_t> bounds) {
  std::string text = array + "[";
  for (std::size_t k = 0; k < bounds.size(); k += 2) {
    if (k > 0) text += ",";
    text += bounds[k] == bounds[k + 1] ? fmt::format("{}", bounds[k])
                                       : fmt::format("{}:{}", bounds[k], bounds[k + 1]);
  }
  return text + "]";
}

}  // namespace

void Blocks::allocate_region(std::int32_t selector) {
  const Selector& selected = selector_at(selector);
  const array::Grid& grid = naming_.tables.grids[static_cast<std::size_t>(selected.array)];
  const auto& bounds = region_bounds_[static_cast<std::size_t>(selector)];
  auto& regions = arrays_[static_cast<std::size_t>(selected.array)].regions;
  const std::size_t order = grid.order();
  Region region;
  std::array<Extent, array::max_order> extents{};
  for (std::size_t k = 0; k < order; ++k) {
    region.low[k] = bounds[2 * k];
    region.high[k] = bounds[2 * k + 1];
    extents[k] = grid.offset(k, region.high[k]) + grid.extent(k, region.high[k]) -
                 grid.offset(k, region.low[k]);
  }
  for (const Region& other : regions) {
    bool overlaps = true;
    for (std::size_t k = 0; k < order; ++k)
      overlaps = overlaps && region.low[k] <= other.high[k] && other.low[k] <= region.high[k];
    if (overlaps)
      throw Error(
          Errc::bad_input,
          fmt::format("allocate contiguous {}: it overlaps a region that is allocated; "
                      "deallocate that one first",
                      print_region(naming_.array(selected.array), {bounds.data(), 2 * order})));
  }
  region.shape = tensor::Shape({extents.data(), order});
  region.frame = frames_.allocate(static_cast<std::size_t>(region.shape.element_count()) *
                                  array::bytes_of(type_of(selected.array)));
  std::memset(region.frame->data(), 0, region.frame->size());
  regions.push_back(std::move(region));
}

void Blocks::deallocate_region(std::int32_t selector) {
  const Selector& selected = selector_at(selector);
  const auto& bounds = region_bounds_[static_cast<std::size_t>(selector)];
  auto& regions = arrays_[static_cast<std::size_t>(selected.array)].regions;
  const std::size_t order = selected.indexes.size();
  for (auto region = regions.begin(); region != regions.end(); ++region) {
    bool is_same = true;
    for (std::size_t k = 0; k < order; ++k)
      is_same = is_same && region->low[k] == bounds[2 * k] && region->high[k] == bounds[2 * k + 1];
    if (!is_same) continue;
    frames_.recycle(std::move(region->frame));
    regions.erase(region);
    return;
  }
  throw Error(
      Errc::bad_input,
      fmt::format("deallocate contiguous {}: no region was allocated with just these ranges",
                  print_region(naming_.array(selected.array), {bounds.data(), 2 * order})));
}

View Blocks::region_view(std::int32_t selector) {
  const Selector& selected = selector_at(selector);
  const array::Grid& grid = naming_.tables.grids[static_cast<std::size_t>(selected.array)];
  const auto& bounds = region_bounds_[static_cast<std::size_t>(selector)];
  const std::size_t order = grid.order();
  for (Region& region : arrays_[static_cast<std::size_t>(selected.array)].regions) {
    bool is_inside = true;
    for (std::size_t k = 0; k < order; ++k)
      is_inside =
          is_inside && region.low[k] <= bounds[2 * k] && bounds[2 * k + 1] <= region.high[k];
    if (!is_inside) continue;
    View result = View::dense(region.frame->data(), region.shape, type_of(selected.array));
    std::array<Extent, array::max_order> extents{};
    for (std::size_t k = 0; k < order; ++k) {
      const Extent begin = grid.offset(k, bounds[2 * k]);
      result.advance((begin - grid.offset(k, region.low[k])) * result.strides[k]);
      extents[k] = grid.offset(k, bounds[2 * k + 1]) + grid.extent(k, bounds[2 * k + 1]) - begin;
    }
    result.shape = tensor::Shape({extents.data(), order});
    return result;
  }
  throw Error(Errc::bad_input,
              fmt::format("contiguous local block {} must be explicitly allocated: no region holds "
                          "all of it",
                          print_region(naming_.array(selected.array), {bounds.data(), 2 * order})));
}

std::vector<std::string> Blocks::leaks() const {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < arrays_.size(); ++k) {
    if (naming_.program.arrays[k].kind != program::ArrayKind::local) continue;
    for (const auto& [number, slot] : arrays_[k].locals)
      names.push_back(naming_.block({static_cast<std::int32_t>(k), number}));
    if (!arrays_[k].regions.empty())
      names.push_back(fmt::format("{} region(s) of {}", arrays_[k].regions.size(),
                                  naming_.program.arrays[k].name));
  }
  return names;
}

}  // namespace blockyard::worker::detail
