// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/in_place_residency.h"

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"

namespace blockyard::block {

using base::Error;

/// The frame is noted for as long as work on it is under way.
std::optional<device::Address> InPlaceResidency::operand(const SharedFrame& frame, Use use,
                                                         bool keeps) {
  if (!sends_.is_empty()) sends_.take();
  if (is_retired()) return std::nullopt;
  drop_done();
  ResidentCopy* copy = ResidencyBase::use(frame->data());
  if (copy == nullptr) {
    copy = &add(frame, keeps, {});
    copy->in_place = frame;
    copy->is_valid = true;
    bytes_ += static_cast<std::int64_t>(copy->size);
  } else if (keeps) {
    copy->kept = frame;
  }
  note_saved(copy->size);
  add_operand(*copy, use);
  return reinterpret_cast<device::Address>(copy->key);
}

/// Frames are not in the memory of the device: what is short there is not theirs.
std::optional<Piece> InPlaceResidency::allocate(std::size_t size) { return pool_.allocate(size); }

void InPlaceResidency::leave(ResidentCopy& copy) { bytes_ -= static_cast<std::int64_t>(copy.size); }

/// Forgets frames whose work is done; waits for that while they are more than the budget.
void InPlaceResidency::drop_done() {
  while (!order_.empty() && order_.front().pins == 0) {
    const Lanes::Points& used = order_.front().piece.used;
    if (bytes_ > options_.budget_bytes)
      lanes_->finish(used);
    else if (!lanes_->are_done(used))
      return;
    erase(order_.begin());
  }
}

void InPlaceResidency::sweep() {
  try {
    drop_done();
  } catch (const Error&) {  // users of the values will see it fail
  }
}

bool InPlaceResidency::host_reads(const base::Buffer& frame) try {
  finish_sending(frame.data());
  const auto found = copies_.find(frame.data());
  if (found == copies_.end() || !found->second->is_modified) return false;
  const double begin = base::now_seconds();
  lanes_->finish(found->second->piece.written);
  found->second->is_modified = false;
  counts_.wait_seconds += base::now_seconds() - begin;
  return false;
} catch (const Error& error) {
  retire(error.what());
  return true;
}

void InPlaceResidency::forget(const base::Buffer& frame) noexcept {
  if (const auto found = copies_.find(frame.data()); found != copies_.end()) let_go(found->second);
  if (!sends_.is_empty()) sends_.drop();
}

void InPlaceResidency::release(const SharedFrame& frame) noexcept {
  const auto found = copies_.find(frame->data());
  // Held by the releasing caller, and here.
  if (found != copies_.end() && found->second->kept && found->second->pins == 0 &&
      frame.use_count() <= 2)
    let_go(found->second);
}

/// The owner releases a frame or its values: held here until the device has finished with it, so
/// that it is not overwritten before.
void InPlaceResidency::let_go(Order::iterator at) noexcept {
  at->is_modified = false;
  try {
    if (at->pins == 0 && lanes_->are_done(at->piece.used)) return erase(at);
  } catch (const Error&) {  // the values are not needed
  }
  at->kept = at->in_place.lock();
}

/// The frame is whole when the work under way is done.
std::shared_ptr<PieceCopy> InPlaceResidency::send(const SharedFrame& frame, bool) try {
  sends_.take();
  if (const DeviceSend* const send = sends_.of(frame->data())) {
    send->pieces->begin_sending();
    return send->pieces;
  }
  const auto found = copies_.find(frame->data());
  if (found == copies_.end() || !found->second->is_modified) return nullptr;
  ResidentCopy& copy = *found->second;
  auto pieces = std::make_shared<PieceCopy>(frame, copy.size);
  pieces->begin_sending();
  lanes_->wait(Lanes::out, copy.piece.written);
  lanes_->stream(Lanes::out).record(pieces->add(device_.open_event()));
  sends_.add({pieces, copy.piece.written, nullptr, false, {}});
  copy.is_modified = false;
  ++counts_.direct_blocks;
  counts_.direct_bytes += copy.size;
  return pieces;
} catch (const Error& error) {
  retire(error.what());
  return nullptr;
}

/// The host continues to use the frames.
std::size_t InPlaceResidency::begin_recovery() {
  for (const Lanes::Lane lane : {Lanes::first_kernel, Lanes::second_kernel}) settle(lane);
  return 0;
}

/// Once the device failed: waits. False: what was written is lost.
bool InPlaceResidency::is_written(const Lanes::Points& points) {
  for (int attempts = 2; attempts > 0; --attempts) try {
      lanes_->finish(points);
      return true;
    } catch (const Error&) {
    }
  return false;
}

}  // namespace blockyard::block
