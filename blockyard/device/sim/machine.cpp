// SPDX-License-Identifier: Apache-2.0
#include "blockyard/device/sim/machine.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

namespace blockyard::device::sim {

void Machine::close_stream(Stream* stream) {
  finish(*stream);
  streams_.remove_if([stream](const Stream& one) { return &one == stream; });
}

void Machine::drift() {
  if (!drifts_) return;
  for (std::uint64_t left = random_() % 3; left > 0 && step(); --left) {
  }
}

bool Machine::step() {
  std::vector<Stream*> ready;
  for (Stream& stream : streams_)
    if (!stream.tasks.empty()) {
      const Task& first = stream.tasks.front();
      if (first.after == nullptr || first.after->is_done) ready.push_back(&stream);
    }
  if (ready.empty()) return false;
  run_first(*ready[random_() % ready.size()]);
  return true;
}

void Machine::run_first(Stream& stream) {
  const Task task = std::move(stream.tasks.front());
  stream.tasks.pop_front();
  if (task.after != nullptr && task.after->has_failed) stream.has_failed = true;
  if (task.work != nullptr && !stream.has_failed) {
    if (pieces_left_ == 0)
      stream.has_failed = true;
    else
      task.work();
    if (pieces_left_ > 0) --pieces_left_;
    if (per_piece_.count() > 0) std::this_thread::sleep_for(per_piece_);
  }
  if (task.after != nullptr) stream.due = std::max(stream.due, task.after->due);
  if (task.seconds > 0) {
    double& free = free_[static_cast<std::size_t>(task.engine)];
    free = stream.due = std::max({free, stream.due, task.enqueued}) + task.seconds;
  }
  if (task.reaches == nullptr) return;
  task.reaches->due = stream.due;
  task.reaches->is_done = true;
  task.reaches->has_failed = stream.has_failed;
}

// An event is waited for as it was recorded, so the oldest task of all can always run: these loops
// end because the work does.

void Machine::finish(const Stream& stream) {
  while (!stream.tasks.empty() && step()) {
  }
}

void Machine::finish(const Point& point) {
  while (!point.is_done && step()) {
  }
}

void Machine::finish_all() {
  while (step()) {
  }
}

void Machine::drop_all() {
  for (Stream& stream : streams_) stream.tasks.clear();
}

}  // namespace blockyard::device::sim
