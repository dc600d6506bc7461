// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "blockyard/block/frame.h"
#include "blockyard/worker/detail/state.h"
#include "blockyard/worker/flow_names.h"

namespace blockyard::worker::detail {

/// The regions of contiguous arrays that a worker has allocated, and those that statements mean.
/// They stay on the host. One thread.
class Regions {
 public:
  Regions(const Naming& naming, const std::vector<std::int64_t>& index_values,
          block::FramePool& frames);
  ~Regions();
  Regions(const Regions&) = delete;
  Regions& operator=(const Regions&) = delete;

  /// Which region a selector means from now on: see flow::region_of.
  void bind(std::int32_t selector, std::span<const std::int64_t> lows_highs);
  /// low and high of each position, as bound last.
  [[nodiscard]] const RegionBounds& bounds(std::int32_t selector) const {
    return bounds_[static_cast<std::size_t>(selector)];
  }
  void allocate(std::int32_t selector);
  void deallocate(std::int32_t selector);
  /// Throws Error{bad_input} if no region that is allocated holds all of it.
  [[nodiscard]] View view(std::int32_t selector);
  [[nodiscard]] tensor::Shape shape(std::int32_t selector) const {
    return flow::shape_of(grid(selector_at(selector).array), bounds(selector));
  }
  /// How many of an array are allocated.
  [[nodiscard]] std::size_t count(std::int32_t array) const {
    return regions_[static_cast<std::size_t>(array)].size();
  }

  /// For a checkpoint: those of one array, and what all selectors mean.
  using AddFrame = std::function<void(const SavedFrame&, const block::Frame&)>;
  void save(std::int32_t array, const AddFrame& add) const;
  [[nodiscard]] const std::vector<RegionBounds>& all_bounds() const noexcept { return bounds_; }
  /// False: what is saved does not fit the program.
  [[nodiscard]] bool restore(const SavedFrame& saved, block::Frame frame);
  [[nodiscard]] bool restore(const std::vector<RegionBounds>& bounds);

 private:
  struct Region {
    RegionBounds bounds;
    tensor::Shape shape;
    block::Frame frame;
  };
  [[nodiscard]] const program::Selector& selector_at(std::int32_t selector) const {
    return naming_.program.selectors[static_cast<std::size_t>(selector)];
  }
  [[nodiscard]] const array::Grid& grid(std::int32_t array) const {
    return naming_.tables.grids[static_cast<std::size_t>(array)];
  }
  [[nodiscard]] ElementType type_of(std::int32_t array) const {
    return naming_.program.arrays[static_cast<std::size_t>(array)].type;
  }
  [[nodiscard]] std::string name_of(std::int32_t selector) const;

  const Naming& naming_;
  const std::vector<std::int64_t>& index_values_;
  block::FramePool& frames_;
  std::vector<std::vector<Region>> regions_;  ///< by array
  std::vector<RegionBounds> bounds_;          ///< by selector
};

}  // namespace blockyard::worker::detail
