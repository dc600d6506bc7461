// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/copying_residency.h"

#include <algorithm>
#include <utility>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"

namespace blockyard::block {

using base::Error;

CopyingResidency::~CopyingResidency() {
  settle_all();
  for (ResidentCopy& copy : order_) static_cast<void>(peers_.leave(copy));
  peers_.give_left_away();
}

std::optional<device::Address> CopyingResidency::operand(const SharedFrame& frame, Use use,
                                                         bool keeps) {
  if (!sends_.is_empty()) sends_.take();
  if (is_retired()) return std::nullopt;
  drop_sources();
  ResidentCopy* copy = ResidencyBase::use(frame->data());
  if (copy == nullptr) {
    copy = bring(frame, use, keeps);
    if (copy == nullptr) return std::nullopt;
  } else if (copy->is_ahead) {
    end_ahead(*copy);
  } else {
    note_saved(copy->size);
  }
  add_operand(*copy, use);
  return copy->piece.memory.address();
}

ResidentCopy* CopyingResidency::bring(const SharedFrame& frame, Use use, bool keeps) {
  auto piece = allocate(frame->size());
  if (!piece) {
    ++counts_.fallbacks;
    return nullptr;
  }
  ResidentCopy& copy = add_copy(frame, keeps, std::move(*piece));
  if (use == Use::write && options_.honours_use) {
    note_saved(copy.size);
    return &copy;
  }
  fill(copy, frame);
  return &copy;
}

ResidentCopy& CopyingResidency::add_copy(const SharedFrame& frame, bool keeps, Piece piece) {
  finish_writing(frame->data());
  return add(frame, keeps, std::move(piece));
}

/// The copy is the last in the order.
void CopyingResidency::fill(ResidentCopy& copy, const SharedFrame& frame) {
  try {
    copy_in(copy, frame);
  } catch (...) {
    erase(std::prev(order_.end()));
    throw;
  }
  copy.is_valid = true;
}

void CopyingResidency::bring_ahead(const SharedFrame& frame) {
  const auto size = static_cast<std::int64_t>(frame->size());
  if (is_retired() || is_resident(*frame) || !pool_.could_hold(frame->size()) ||
      ahead_bytes_ + size > options_.budget_bytes / ahead_share)
    return;
  drop_sources();
  peers_.take_left();
  auto piece = pool_.allocate(frame->size());
  while (!piece && evict_one(true)) piece = pool_.allocate(frame->size());
  if (!piece) return;
  ResidentCopy& copy = add_copy(frame, true, std::move(*piece));
  fill(copy, frame);
  copy.is_ahead = true;
  ahead_bytes_ += size;
  ++counts_.ahead_copies;
}

void CopyingResidency::end_ahead(ResidentCopy& copy) noexcept {
  if (!std::exchange(copy.is_ahead, false)) return;
  ahead_bytes_ -= static_cast<std::int64_t>(copy.size);
}

std::optional<Piece> CopyingResidency::allocate(std::size_t size) {
  if (!pool_.could_hold(size)) return std::nullopt;
  peers_.take_left();
  while (true) {
    if (auto piece = pool_.allocate(size)) return piece;
    if (!evict_one() && !sends_.wait_for_memory()) return std::nullopt;
  }
}

bool CopyingResidency::evict_one(bool only_idle) {
  for (auto at = order_.begin(); at != order_.end(); ++at) {
    if (at->pins > 0 || (only_idle && (at->is_modified || at->is_ahead))) continue;
    ++counts_.evictions;
    if (at->is_modified) {
      ++counts_.written_back;
      writing_[at->key] = copy_out(*at);
    }
    erase(at);
    return true;
  }
  return false;
}

/// Before a copy from or to the frame: asks for its memory to be locked, all that its size class
/// has, so that the next frame there finds it so.
void CopyingResidency::lock_host(FrameKey key, std::size_t size) {
  if (options_.locks == nullptr) return;
  using Answer = device::HostLocks::Answer;
  const Answer answer = options_.locks->lock(key, base::BufferPool::charge(size));
  if (answer == Answer::not_asked) return;
  ++counts_.lock_requests;
  if (answer == Answer::was_locked) ++counts_.lock_hits;
}

void CopyingResidency::begin_out(ResidentCopy& copy) {
  lock_host(copy.key, copy.size);
  lanes_->wait(Lanes::out, copy.piece.written);
  for (const Source& source : sources_)  // an earlier copy of the frame may still read it
    if (source.frame && source.frame->data() == copy.key) {
      Lanes::Points read{};
      read[Lanes::in] = source.point;
      lanes_->wait(Lanes::out, read);
    }
}

/// The point after which the frame has the values.
std::uint64_t CopyingResidency::end_out(ResidentCopy& copy) {
  const std::uint64_t point = lanes_->mark(Lanes::out, Lanes::kilobytes(copy.size));
  copy.piece.used[Lanes::out] = point;
  ++counts_.copies_out;
  counts_.bytes_out += copy.size;
  return point;
}

std::uint64_t CopyingResidency::copy_out(ResidentCopy& copy) {
  begin_out(copy);
  lanes_->stream(Lanes::out).copy_out(host_bytes(copy.key, copy.size), copy.piece.memory.address());
  return end_out(copy);
}

void CopyingResidency::finish_writing(FrameKey key) {
  if (writing_.empty()) return;
  const auto found = writing_.find(key);
  if (found == writing_.end()) return;
  lanes_->finish(Lanes::out, found->second);
  writing_.erase(found);
}

bool CopyingResidency::host_reads(const base::Buffer& frame) try {
  finish_writing(frame.data());
  finish_sending(frame.data());
  const auto found = copies_.find(frame.data());
  if (found == copies_.end() || !found->second->is_modified) return false;
  const double begin = base::now_seconds();
  lanes_->finish(Lanes::out, copy_out(*found->second));
  found->second->is_modified = false;
  counts_.wait_seconds += base::now_seconds() - begin;
  return true;
} catch (const Error& error) {
  retire(error.what());
  return true;
}

void CopyingResidency::forget(const base::Buffer& frame) noexcept {
  try {
    finish_writing(frame.data());
  } catch (const Error&) {  // failed work writes no more, and the values are not needed
    writing_.erase(frame.data());
  }
  if (const auto found = copies_.find(frame.data()); found != copies_.end()) erase(found->second);
  if (!sends_.is_empty()) sends_.drop();
}

void CopyingResidency::release(const SharedFrame& frame) noexcept {
  const auto found = copies_.find(frame->data());
  // Held by the releasing caller, and here.
  if (found != copies_.end() && found->second->kept && found->second->pins == 0 &&
      frame.use_count() <= 2)
    erase(found->second);
}

bool CopyingResidency::move(const base::Buffer& from, const base::Buffer& to) {
  const auto found = copies_.find(from.data());
  if (found == copies_.end()) return false;
  const auto at = found->second;
  sends_.drop();
  const DeviceSend* const sent = sends_.from(*at);
  if ((sent != nullptr && sent->is_direct) || !peers_.withdraw(*at)) return false;
  copies_.erase(found);
  at->key = to.data();
  at->kept = nullptr;
  at->is_modified = true;
  copies_.emplace(at->key, at);
  return true;
}

void CopyingResidency::sweep() {
  for (auto at = order_.begin(); at != order_.end();) {
    const auto one = at++;
    if (one->kept && one->kept.use_count() == 1) erase(one);
  }
}

bool CopyingResidency::is_modified(const base::Buffer& frame) const {
  const auto found = copies_.find(frame.data());
  return found != copies_.end() && found->second->is_modified;
}

void CopyingResidency::leave(ResidentCopy& copy) {
  if (copy.is_ahead) ++counts_.ahead_unused;
  end_ahead(copy);
  if (!sends_.hold(copy) && !peers_.leave(copy)) pool_.recycle(std::move(copy.piece));
}

std::size_t CopyingResidency::begin_recovery() {
  std::size_t lost = 0;
  for (const auto& [key, point] : writing_) try {
      lanes_->finish(Lanes::out, point);
    } catch (const Error&) {
      ++lost;
    }
  writing_.clear();
  return lost;
}

bool CopyingResidency::recover(ResidentCopy& copy) {
  return bring_back(copy.piece, host_bytes(copy.key, copy.size));
}

bool CopyingResidency::recover(DeviceSend& send) {
  const Piece& piece = send.copy != nullptr ? send.copy->piece : send.piece;
  const SharedFrame& frame = send.pieces->frame();
  return piece.written == send.written &&
         bring_back(piece, host_bytes(frame->data(), frame->size()), send.pieces->ready());
}

/// Copies the part of a block after `from` to the host; tries twice.
bool CopyingResidency::bring_back(const Piece& piece, std::span<std::byte> to, std::size_t from) {
  for (int attempts = 2; attempts > 0; --attempts) try {
      lanes_->wait(Lanes::out, piece.written);
      lanes_->stream(Lanes::out).copy_out(to.subspan(from), piece.memory.address() + from);
      lanes_->stream(Lanes::out).synchronise();
      ++counts_.copies_out;
      counts_.bytes_out += to.size() - from;
      return true;
    } catch (const Error&) {
      try {
        lanes_->reopen(Lanes::out);
      } catch (const Error&) {  // the next attempt fails too
      }
    }
  return false;
}

void CopyingResidency::copy_in(ResidentCopy& copy, const SharedFrame& frame) {
  lanes_->wait(Lanes::in, copy.piece.used);
  PeerCopies::Held peer = peers_.copy_to(copy, lanes_->stream(Lanes::in));
  if (peer) {
    ++counts_.peer_copies;
    counts_.peer_bytes += copy.size;
  } else {
    // Memory of another process may get other pages any time after it was given back.
    if (!frame->is_lent()) lock_host(copy.key, copy.size);
    lanes_->stream(Lanes::in).copy_in(copy.piece.memory.address(), frame->bytes());
    ++counts_.copies_in;
    counts_.bytes_in += copy.size;
  }
  // From here on the device reads it, whatever else fails.
  sources_.push_back({0, peer ? nullptr : frame, peer});
  const std::uint64_t point = lanes_->mark(Lanes::in, Lanes::kilobytes(copy.size));
  sources_.back().point = point;
  copy.piece.written = {};
  copy.piece.written[Lanes::in] = point;
  copy.piece.used[Lanes::in] = point;
  peers_.offer(copy, lanes_->stream(Lanes::in));
}

/// Lets go what copies to the device that are done have read; waits if there are too many.
void CopyingResidency::drop_sources() {
  while (!sources_.empty()) {
    const std::uint64_t point = sources_.front().point;
    if (sources_.size() > Lanes::depth / 2)
      lanes_->finish(Lanes::in, point);
    else if (!lanes_->is_done(Lanes::in, point))
      return;
    sources_.pop_front();
  }
}

}  // namespace blockyard::block
