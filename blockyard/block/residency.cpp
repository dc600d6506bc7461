// SPDX-License-Identifier: Apache-2.0
#include "blockyard/block/residency.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"

namespace blockyard::block {

using base::Errc;
using base::Error;

Residency::Residency(device::Device& device, Options options)
    : device_(device),
      options_(options),
      pool_(device, options.budget_bytes, options.keeps_memory),
      piece_length_(options.piece_bytes) {
  try {
    is_in_place_ = device.describe().works_in_place != 0;
    lanes_.emplace(device, options.trace, options.streams);
  } catch (const Error& error) {
    retire(error.what());
  }
}

Residency::~Residency() {
  for (std::size_t lane = 0; lane < Lanes::count; ++lane) settle(static_cast<Lanes::Lane>(lane));
  for (Copy& copy : order_) static_cast<void>(leave_to_peers(copy));
  give_left_away();
  for (Send& send : sends_) {
    Piece& piece = send.copy != nullptr ? send.copy->piece : send.piece;
    send.pieces->end(send.is_direct ? std::move(piece.memory) : device::Memory());
  }
}

/// Work under way reads and writes frames of the host: none is left afterwards, for a device that
/// refuses twice does nothing any more.
void Residency::settle(Lanes::Lane lane) noexcept {
  for (int attempts = lanes_ ? 2 : 0; attempts > 0; --attempts) try {
      lanes_->stream(lane).synchronise();
      lanes_->note_done(lane);
      return;
    } catch (const Error&) {
    }
  if (lanes_) try {
      lanes_->reopen(lane);  // closing it waits for what had begun
    } catch (const Error&) {
    }
}

std::optional<device::Address> Residency::operand(const SharedFrame& frame, Use use, bool keeps) {
  if (!sends_.empty()) take_sent();
  if (is_retired_) return std::nullopt;
  drop_sources();
  if (is_in_place_) drop_done();
  const auto found = copies_.find(frame->data());
  Copy* copy = nullptr;
  if (found != copies_.end()) {
    order_.splice(order_.end(), order_, found->second);
    copy = &*found->second;
    if (is_in_place_ && keeps) copy->kept = frame;
    if (copy->is_ahead) {
      end_ahead(*copy);
    } else {
      ++counts_.saved_copies;
      counts_.saved_bytes += copy->size;
    }
  } else {
    copy = is_in_place_ ? note_in_place(frame, keeps) : bring(frame, use, keeps);
    if (copy == nullptr) return std::nullopt;
  }
  ++copy->pins;
  operands_.push_back({copy, use});
  return address_of(*copy);
}

Residency::Copy* Residency::bring(const SharedFrame& frame, Use use, bool keeps) {
  auto piece = allocate(frame->size());
  if (!piece) {
    ++counts_.fallbacks;
    return nullptr;
  }
  Copy& copy = add(frame, keeps, std::move(*piece));
  if (use == Use::write && options_.honours_use) {
    ++counts_.saved_copies;
    counts_.saved_bytes += copy.size;
    return &copy;
  }
  fill(copy, frame);
  return &copy;
}

Residency::Copy& Residency::add(const SharedFrame& frame, bool keeps, Piece piece) {
  finish_writing(frame->data());
  finish_sending(frame->data());
  order_.push_back({frame->data(), keeps ? frame : nullptr, frame->size(), std::move(piece)});
  copies_.emplace(frame->data(), std::prev(order_.end()));
  return order_.back();
}

/// The copy is the last in the order.
void Residency::fill(Copy& copy, const SharedFrame& frame) {
  try {
    copy_in(copy, frame);
  } catch (...) {
    erase(std::prev(order_.end()));
    throw;
  }
  copy.is_valid = true;
}

void Residency::bring_ahead(const SharedFrame& frame) {
  const auto size = static_cast<std::int64_t>(frame->size());
  if (is_retired_ || is_resident(*frame) || !pool_.could_hold(frame->size()) ||
      ahead_bytes_ + size > options_.budget_bytes / ahead_share)
    return;
  drop_sources();
  take_left();
  auto piece = pool_.allocate(frame->size());
  while (!piece && evict_one(true)) piece = pool_.allocate(frame->size());
  if (!piece) return;
  Copy& copy = add(frame, true, std::move(*piece));
  fill(copy, frame);
  copy.is_ahead = true;
  ahead_bytes_ += size;
  ++counts_.ahead_copies;
}

void Residency::end_ahead(Copy& copy) noexcept {
  if (!std::exchange(copy.is_ahead, false)) return;
  ahead_bytes_ -= static_cast<std::int64_t>(copy.size);
}

std::optional<device::Address> Residency::scratch(std::size_t size) {
  if (is_retired_) return std::nullopt;
  auto piece = allocate(size);
  if (!piece) {
    ++counts_.fallbacks;
    return std::nullopt;
  }
  scratch_.push_back(std::move(*piece));
  return scratch_.back().memory.address();
}

Lanes::Lane Residency::begin_work() {
  const Lanes::Lane lane = lanes_->next_kernel();
  for (const Operand& operand : operands_)
    lanes_->wait(lane,
                 operand.use == Use::read ? operand.copy->piece.written : operand.copy->piece.used);
  for (const Piece& piece : scratch_) lanes_->wait(lane, piece.used);
  return lane;
}

void Residency::end_work(Lanes::Lane lane) {
  std::uint64_t point = 0;
  try {
    point = lanes_->mark(lane, pc_);
  } catch (...) {
    for (const Operand& operand : operands_) operand.copy->is_lost = operand.use == Use::update;
    throw;
  }
  Lanes::Points here{};
  here[lane] = point;
  for (const Operand& operand : operands_) {
    operand.copy->piece.used[lane] = point;
    if (operand.use != Use::read) operand.copy->piece.written = here;
  }
  for (Piece& piece : scratch_) piece.written = piece.used = here;
  ++counts_.runs;
}

void Residency::read_back(device::Address from, std::span<std::byte> to) {
  const double begin = base::now_seconds();
  const auto piece =
      std::ranges::find(scratch_, from, [](const Piece& one) { return one.memory.address(); });
  base::require(piece != scratch_.end(), "what is read back is scratch memory of the run");
  lanes_->wait(Lanes::out, piece->written);
  lanes_->stream(Lanes::out).copy_out(to, from);
  const std::uint64_t point = lanes_->mark(Lanes::out, Lanes::kilobytes(to.size()));
  piece->used[Lanes::out] = point;
  lanes_->finish(Lanes::out, point);
  ++counts_.copies_out;
  counts_.bytes_out += to.size();
  counts_.wait_seconds += base::now_seconds() - begin;
}

void Residency::finish_runs() {
  for (const Lanes::Lane lane : {Lanes::first_kernel, Lanes::second_kernel})
    lanes_->stream(lane).synchronise();
}

void Residency::end_run(bool is_done) {
  for (const auto& [copy, use] : operands_) {
    --copy->pins;
    if (!is_done) continue;
    copy->is_valid = true;
    // Without intents even an operand that is only read counts as changed, unless it has no owner.
    if (use != Use::read || (!options_.honours_use && !copy->kept)) copy->is_modified = true;
  }
  for (const Operand& operand : operands_)
    if (const auto found = copies_.find(operand.copy->key);
        !is_done && operand.copy->pins == 0 && !operand.copy->is_valid)
      erase(found->second);
  operands_.clear();
  for (Piece& piece : scratch_) pool_.recycle(std::move(piece));
  scratch_.clear();
}

std::optional<Piece> Residency::allocate(std::size_t size) {
  if (!pool_.could_hold(size)) return std::nullopt;
  take_left();
  while (true) {
    if (auto piece = pool_.allocate(size)) return piece;
    if (!evict_one() && !wait_for_send()) return std::nullopt;
  }
}

bool Residency::evict_one(bool only_idle) {
  if (is_in_place_) return false;  // frames are not in the memory of the device
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
void Residency::lock_host(Key key, std::size_t size) {
  if (options_.locks == nullptr) return;
  using Answer = device::HostLocks::Answer;
  const Answer answer = options_.locks->lock(key, base::BufferPool::charge(size));
  if (answer == Answer::not_asked) return;
  ++counts_.lock_requests;
  if (answer == Answer::was_locked) ++counts_.lock_hits;
}

void Residency::begin_out(Copy& copy) {
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
std::uint64_t Residency::end_out(Copy& copy) {
  const std::uint64_t point = lanes_->mark(Lanes::out, Lanes::kilobytes(copy.size));
  copy.piece.used[Lanes::out] = point;
  ++counts_.copies_out;
  counts_.bytes_out += copy.size;
  return point;
}

std::uint64_t Residency::copy_out(Copy& copy) {
  begin_out(copy);
  lanes_->stream(Lanes::out).copy_out(host_bytes(copy.key, copy.size), copy.piece.memory.address());
  return end_out(copy);
}

void Residency::finish_writing(Key key) {
  if (writing_.empty()) return;
  const auto found = writing_.find(key);
  if (found == writing_.end()) return;
  lanes_->finish(Lanes::out, found->second);
  writing_.erase(found);
}

bool Residency::host_reads(const base::Buffer& frame) try {
  finish_writing(frame.data());
  finish_sending(frame.data());
  const auto found = copies_.find(frame.data());
  if (found == copies_.end() || !found->second->is_modified) return false;
  const double begin = base::now_seconds();
  Copy& copy = *found->second;
  if (is_in_place_)
    lanes_->finish(copy.piece.written);
  else
    lanes_->finish(Lanes::out, copy_out(copy));
  copy.is_modified = false;
  counts_.wait_seconds += base::now_seconds() - begin;
  return !is_in_place_;
} catch (const Error& error) {
  retire(error.what());
  return true;
}

void Residency::forget(const base::Buffer& frame) noexcept {
  try {
    finish_writing(frame.data());
  } catch (const Error&) {  // failed work writes no more, and the values are not needed
    writing_.erase(frame.data());
  }
  if (const auto found = copies_.find(frame.data()); found != copies_.end())
    is_in_place_ ? let_go(found->second) : erase(found->second);
  if (!sends_.empty()) drop_sent();
}

void Residency::release(const SharedFrame& frame) noexcept {
  const auto found = copies_.find(frame->data());
  // Held by the releasing caller, and here.
  if (found == copies_.end() || !found->second->kept || found->second->pins > 0) return;
  if (frame.use_count() <= 2) is_in_place_ ? let_go(found->second) : erase(found->second);
}

bool Residency::move(const base::Buffer& from, const base::Buffer& to) {
  const auto found = copies_.find(from.data());
  if (found == copies_.end() || is_in_place_) return false;
  const auto at = found->second;
  if (is_read_by_network(*at)) return false;
  if (at->offer && options_.peers->remove(at->key, at->offer)) return false;
  at->offer = nullptr;
  copies_.erase(found);
  at->key = to.data();
  at->kept = nullptr;
  at->is_modified = true;
  copies_.emplace(at->key, at);
  return true;
}

void Residency::sweep() {
  if (is_in_place_) return sweep_in_place();
  for (auto at = order_.begin(); at != order_.end();) {
    const auto one = at++;
    if (one->kept && one->kept.use_count() == 1) erase(one);
  }
}

bool Residency::is_modified(const base::Buffer& frame) const {
  const auto found = copies_.find(frame.data());
  return !is_in_place_ && found != copies_.end() && found->second->is_modified;
}

void Residency::erase(Order::iterator at) {
  if (at->is_ahead) ++counts_.ahead_unused;
  end_ahead(*at);
  copies_.erase(at->key);
  if (is_in_place_) in_place_bytes_ -= static_cast<std::int64_t>(at->size);
  const auto sent = std::ranges::find(sends_, &*at, &Send::copy);
  if (sent != sends_.end()) {
    sent->piece = std::move(at->piece);
    sent->copy = nullptr;
  } else if (!leave_to_peers(*at)) {
    pool_.recycle(std::move(at->piece));
  }
  order_.erase(at);
}

void Residency::retire(const std::string& why) {
  if (is_retired_) return;
  is_retired_ = true;
  failure_ = why;
  ++counts_.failures;
  std::size_t lost = 0;
  for (const auto& [key, point] : writing_) try {
      lanes_->finish(Lanes::out, point);
    } catch (const Error&) {
      ++lost;
    }
  writing_.clear();
  if (is_in_place_)  // the host continues to use the frames
    for (const Lanes::Lane lane : {Lanes::first_kernel, Lanes::second_kernel}) settle(lane);
  lost += bring_all_rests();
  for (Copy& copy : order_)
    if (copy.is_lost || (copy.is_modified &&
                         !(is_in_place_ ? is_written(copy.piece.written)
                                        : bring_back(copy.piece, host_bytes(copy.key, copy.size)))))
      ++lost;
  settle(Lanes::in);
  sources_.clear();
  operands_.clear();
  scratch_.clear();
  while (!order_.empty()) erase(order_.begin());
  drop_sent();
  if (lost > 0)
    throw Error(Errc::device,
                fmt::format("{}; {} block(s) that only the device held are lost with it. Run again "
                            "with --device none, or resume from the last checkpoint",
                            why, lost));
}

}  // namespace blockyard::block
