// SPDX-License-Identifier: Apache-2.0
// The part of Residency for blocks that go from a device to other processes.
#include <algorithm>
#include <utility>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/block/residency.h"

namespace blockyard::block {

using base::Errc;
using base::Error;

std::shared_ptr<PieceCopy> Residency::send(const SharedFrame& frame, bool reads_devices) try {
  const Key key = frame->data();
  take_sent();
  for (const Send& send : sends_)
    if (send.pieces->frame()->data() == key) {
      if (send.is_direct && !reads_devices) {
        host_reads(*frame);
        return nullptr;
      }
      send.pieces->begin_sending();
      return send.pieces;
    }
  finish_writing(key);
  const auto found = copies_.find(key);
  if (found == copies_.end() || !found->second->is_modified) return nullptr;
  Copy& copy = *found->second;
  // One send at a time needs the memory of a copy.
  if (const auto other = std::ranges::find(sends_, &copy, &Send::copy); other != sends_.end())
    finish_sending(other->pieces->frame()->data());
  if (is_in_place_) return send_in_place(copy, frame);
  if (reads_devices && is_for_network_)
    if (auto direct = send_direct(copy, frame)) return direct;
  if (!piece_length_.wants_time(copy.size)) return start_send(copy, frame);
  send_timed(copy);
  return nullptr;
} catch (const Error& error) {
  retire(error.what());
  return nullptr;
}

std::shared_ptr<PieceCopy> Residency::start_send(Copy& copy, const SharedFrame& frame) {
  auto pieces = std::make_shared<PieceCopy>(frame, piece_length_.of(copy.size));
  pieces->begin_sending();
  begin_out(copy);
  const std::span<std::byte> to = host_bytes(copy.key, copy.size);
  device::Stream& stream = lanes_->stream(Lanes::out);
  for (std::size_t at = 0; at < to.size(); at += pieces->piece_bytes()) {
    const std::size_t length = std::min(pieces->piece_bytes(), to.size() - at);
    stream.copy_out(to.subspan(at, length), copy.piece.memory.address() + at);
    stream.record(pieces->add(device_.open_event()));
    ++counts_.sent_pieces;
  }
  end_out(copy);
  copy.is_modified = false;
  sends_.push_back({pieces, copy.piece.written, &copy, false, {}});
  ++counts_.sent_blocks;
  counts_.sent_bytes += copy.size;
  return pieces;
}

/// Keeps the copy where it is until the network has read it, which may begin when what writes it is
/// done. Null: the network cannot read this device, or reads much of it already.
std::shared_ptr<PieceCopy> Residency::send_direct(Copy& copy, const SharedFrame& frame) {
  std::size_t direct_bytes = copy.size;
  for (const Send& send : sends_)
    if (send.is_direct) direct_bytes += send.pieces->frame()->size();
  if (static_cast<std::int64_t>(direct_bytes) > options_.budget_bytes / network_share)
    return nullptr;
  const std::byte* const place =
      device_.network_pointer(copy.piece.memory.address(), static_cast<device::Extent>(copy.size));
  is_for_network_ = place != nullptr;
  if (!is_for_network_) return nullptr;
  auto pieces = std::make_shared<PieceCopy>(frame, copy.size, place);
  pieces->begin_sending();
  lanes_->wait(Lanes::out, copy.piece.written);
  lanes_->stream(Lanes::out).record(pieces->add(device_.open_event()));
  sends_.push_back({pieces, copy.piece.written, &copy, true, {}});
  ++copy.pins;
  ++counts_.direct_blocks;
  counts_.direct_bytes += copy.size;
  return pieces;
}

bool Residency::is_read_by_network(const Copy& copy) noexcept {
  drop_sent();
  return std::ranges::any_of(
      sends_, [&](const Send& send) { return send.is_direct && send.copy == &copy; });
}

/// Copies the block and waits, to learn how long pieces should be.
void Residency::send_timed(Copy& copy) {
  begin_out(copy);
  const std::span<std::byte> to = host_bytes(copy.key, copy.size);
  device::Stream& stream = lanes_->stream(Lanes::out);
  stream.synchronise();
  const auto time_of = [&](std::size_t at, std::size_t length) {
    const double begin = base::now_seconds();
    stream.copy_out(to.subspan(at, length), copy.piece.memory.address() + at);
    stream.synchronise();
    return base::now_seconds() - begin;
  };
  const std::size_t rest = copy.size - PieceLength::least;
  const double first_seconds = time_of(0, PieceLength::least);
  const double rest_seconds = time_of(PieceLength::least, rest);
  piece_length_.took(first_seconds, rest, rest_seconds);
  counts_.wait_seconds += first_seconds + rest_seconds;
  end_out(copy);
  copy.is_modified = false;
}

void Residency::look_after() {
  try {
    take_sent();
  } catch (const Error& error) {
    retire(error.what());
  }
}

void Residency::take_sent() {
  for (const Send& send : sends_)
    if (const std::string why = send.pieces->failure(); !why.empty())
      throw Error(Errc::device, why);
  drop_sent();
}

void Residency::drop_sent() noexcept {
  std::erase_if(sends_, [&](Send& send) {
    if (!send.pieces->is_over()) return false;
    if (send.copy == nullptr) pool_.recycle(std::move(send.piece));
    if (send.copy != nullptr && send.is_direct) --send.copy->pins;
    return true;
  });
}

/// Afterwards nothing writes to the frame.
void Residency::finish_sending(Key key) {
  for (const Send& send : sends_)
    if (!send.is_direct && send.pieces->frame()->data() == key) {
      const double begin = base::now_seconds();
      send.pieces->wait();
      counts_.wait_seconds += base::now_seconds() - begin;
      return take_sent();
    }
}

/// False: no device memory comes back in this way. That which the network reads comes when it will.
bool Residency::wait_for_send() {
  const auto found = std::ranges::find_if(
      sends_, [](const Send& send) { return !send.is_direct && send.copy == nullptr; });
  if (found == sends_.end()) return false;
  found->pieces->wait();
  take_sent();
  return true;
}

/// Copies the part of a block after `from` to the host; tries twice.
bool Residency::bring_back(const Piece& piece, std::span<std::byte> to, std::size_t from) {
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

/// Once the device failed. False: the values are lost.
bool Residency::bring_rest(Send& send) {
  send.pieces->wait();
  if (send.pieces->is_whole()) return true;
  const Piece& piece = send.copy != nullptr ? send.copy->piece : send.piece;
  const SharedFrame& frame = send.pieces->frame();
  if (is_in_place_
          ? !is_written(send.written)
          : piece.written != send.written ||
                !bring_back(piece, host_bytes(frame->data(), frame->size()), send.pieces->ready()))
    return false;
  send.pieces->complete();
  if (send.copy != nullptr) send.copy->is_modified = false;
  return true;
}

/// The same of all. Returns how many are lost.
std::size_t Residency::bring_all_rests() {
  std::size_t lost = 0;
  for (Send& send : sends_) {
    if (bring_rest(send)) continue;
    ++lost;
    if (send.is_direct && send.copy != nullptr) send.copy->is_modified = false;  // not tried again
  }
  std::erase_if(sends_, [](const Send& send) { return !send.is_direct; });
  return lost;
}

}  // namespace blockyard::block
