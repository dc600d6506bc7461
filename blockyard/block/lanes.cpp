// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/lanes.h"

#include <algorithm>

namespace blockyard::block {

Lanes::Lanes(device::Device& device) : device_(device) {
  for (std::size_t lane = 0; lane < count; ++lane) {
    lanes_.push_back({device.open_stream(), {}, 0, 0});
    for (std::size_t k = 0; k < depth; ++k) lanes_.back().events.push_back(device.open_event());
  }
}

Lanes::Lane Lanes::next_kernel() noexcept {
  is_second_ = !is_second_;
  return is_second_ ? first_kernel : second_kernel;
}

void Lanes::wait(Lane lane, const Points& points) {
  for (std::size_t k = 0; k < count; ++k) {
    const auto other = static_cast<Lane>(k);
    if (other == lane || points[k] <= lanes_[k].done) continue;
    lanes_[lane].stream.wait(event(other, points[k]));
  }
}

std::uint64_t Lanes::mark(Lane lane) {
  Line& line = lanes_[lane];
  // The event of a point long ago is taken again: nobody may need it any more.
  if (line.last >= depth) finish(lane, line.last + 1 - depth);
  line.stream.record(event(lane, line.last + 1));
  return ++line.last;
}

bool Lanes::is_done(Lane lane, std::uint64_t point) {
  Line& line = lanes_[lane];
  if (point > line.done && event(lane, point).is_done()) line.done = point;
  return point <= line.done;
}

void Lanes::finish(Lane lane, std::uint64_t point) {
  Line& line = lanes_[lane];
  if (point <= line.done) return;
  event(lane, point).wait();
  line.done = std::max(line.done, point);
}

void Lanes::reopen(Lane lane) { lanes_[lane].stream = device_.open_stream(); }

}  // namespace blockyard::block
