// SPDX-License-Identifier: Apache-2.0
// The part of Residency for devices that work on the frames themselves.
#include "blockyard/base/error.h"
#include "blockyard/block/residency.h"

namespace blockyard::block {

using base::Error;

/// For as long as work on the frame is under way.
Residency::Copy* Residency::note_in_place(const SharedFrame& frame, bool keeps) {
  Copy& copy = add(frame, keeps, {});
  copy.in_place = frame;
  copy.is_valid = true;
  in_place_bytes_ += static_cast<std::int64_t>(copy.size);
  ++counts_.saved_copies;
  counts_.saved_bytes += copy.size;
  return &copy;
}

/// Forgets frames whose work is done; waits for that while they are more than the budget.
void Residency::drop_done() {
  while (!order_.empty() && order_.front().pins == 0) {
    const Lanes::Points& used = order_.front().piece.used;
    if (in_place_bytes_ > options_.budget_bytes)
      lanes_->finish(used);
    else if (!lanes_->are_done(used))
      return;
    erase(order_.begin());
  }
}

void Residency::sweep_in_place() noexcept {
  try {
    drop_done();
  } catch (const Error&) {  // users of the values will see it fail
  }
}

/// The owner releases a frame or its values: held here until the device has finished with it, so
/// that it is not overwritten before.
void Residency::let_go(Order::iterator at) noexcept {
  at->is_modified = false;
  try {
    if (at->pins == 0 && lanes_->are_done(at->piece.used)) return erase(at);
  } catch (const Error&) {  // the values are not needed
  }
  at->kept = at->in_place.lock();
}

/// The frame goes to another process: it is whole when the work under way is done.
std::shared_ptr<PieceCopy> Residency::send_in_place(Copy& copy, const SharedFrame& frame) {
  auto pieces = std::make_shared<PieceCopy>(frame, copy.size);
  pieces->begin_sending();
  lanes_->wait(Lanes::out, copy.piece.written);
  lanes_->stream(Lanes::out).record(pieces->add(device_.open_event()));
  sends_.push_back({pieces, copy.piece.written, nullptr, false, {}});
  copy.is_modified = false;
  ++counts_.direct_blocks;
  counts_.direct_bytes += copy.size;
  return pieces;
}

/// Once the device failed: waits. False: what was written is lost.
bool Residency::is_written(const Lanes::Points& points) {
  for (int attempts = 2; attempts > 0; --attempts) try {
      lanes_->finish(points);
      return true;
    } catch (const Error&) {
    }
  return false;
}

}  // namespace blockyard::block
