// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/lanes.h"

#include <algorithm>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"

namespace blockyard::block {

namespace {

/// The stream of each lane, by how many streams there are.
constexpr std::array<std::array<std::size_t, Lanes::count>, Lanes::count> streams_of_lanes = {
    {{0, 0, 0, 0}, {0, 0, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}}};

}  // namespace

Lanes::Lanes(device::Device& device, base::TraceLine* trace, int streams)
    : device_(device),
      trace_(trace != nullptr && trace->is_on() ? trace : nullptr),
      stream_of_(streams_of_lanes.at(static_cast<std::size_t>(streams) - 1)) {
  for (int k = 0; k < streams; ++k) streams_.push_back(device.open_stream());
  for (std::size_t lane = 0; lane < count; ++lane) {
    lanes_.push_back({.events = {},
                      .last = 0,
                      .done = 0,
                      .works = std::vector<Work>(trace_ != nullptr ? depth : 0),
                      .noted = 0,
                      .noted_seconds = 0});
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
    stream(lane).wait(event(other, points[k]));
  }
}

std::uint64_t Lanes::mark(Lane lane, std::int32_t what) {
  Line& line = lanes_[lane];
  // The event of a point long ago is reused: it must no longer be needed.
  if (line.last >= depth) finish(lane, line.last + 1 - depth);
  if (trace_ != nullptr) {
    note_done(lane);
    line.works[(line.last + 1) % depth] = {base::now_seconds(), what, program_};
  }
  stream(lane).record(event(lane, line.last + 1));
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
  if (trace_ != nullptr) note_done(lane);
}

bool Lanes::are_done(const Points& points) {
  for (std::size_t k = 0; k < count; ++k)
    if (!is_done(static_cast<Lane>(k), points[k])) return false;
  return true;
}

void Lanes::finish(const Points& points) {
  for (std::size_t k = 0; k < count; ++k) finish(static_cast<Lane>(k), points[k]);
}

/// Points found complete at the same time share the time since the last check evenly.
void Lanes::note_done(Lane lane) noexcept {
  Line& line = lanes_[lane];
  if (trace_ == nullptr) return;
  std::uint64_t done = line.noted;
  try {
    while (done < line.last && is_done(lane, done + 1)) ++done;
  } catch (const base::Error&) {  // users of the work will see it fail
    done = line.noted = line.last;
  }
  if (done == line.noted) return;
  const double now = base::now_seconds();
  double begin =
      std::max(line.works[(line.noted + 1) % depth].enqueued_seconds, line.noted_seconds);
  const double each = (now - begin) / static_cast<double>(done - line.noted);
  for (; line.noted < done; ++line.noted, begin += each) {
    const Work& work = line.works[(line.noted + 1) % depth];
    trace_->add({begin, static_cast<float>(each), work.what, work.program,
                 static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(1 + lane)});
  }
  line.noted_seconds = now;
}

void Lanes::reopen(Lane lane) { stream(lane) = device_.open_stream(); }

}  // namespace blockyard::block
