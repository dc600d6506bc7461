// SPDX-License-Identifier: Apache-2.0
// The part of CopyingResidency for blocks that go from a device to other processes.
#include <algorithm>
#include <utility>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/block/copying_residency.h"

namespace blockyard::block {

using base::Error;

std::shared_ptr<PieceCopy> CopyingResidency::send(const SharedFrame& frame,
                                                  bool reads_devices) try {
  const FrameKey key = frame->data();
  sends_.take();
  if (const DeviceSend* const send = sends_.of(key)) {
    if (send->is_direct && !reads_devices) {
      host_reads(*frame);
      return nullptr;
    }
    send->pieces->begin_sending();
    return send->pieces;
  }
  finish_writing(key);
  const auto found = copies_.find(key);
  if (found == copies_.end() || !found->second->is_modified) return nullptr;
  ResidentCopy& copy = *found->second;
  // One send at a time needs the memory of a copy.
  if (const DeviceSend* const other = sends_.from(copy))
    finish_sending(other->pieces->frame()->data());
  if (reads_devices && is_for_network_)
    if (auto direct = send_direct(copy, frame)) return direct;
  if (!piece_length_.wants_time(copy.size)) return start_send(copy, frame);
  send_timed(copy);
  return nullptr;
} catch (const Error& error) {
  retire(error.what());
  return nullptr;
}

std::shared_ptr<PieceCopy> CopyingResidency::start_send(ResidentCopy& copy,
                                                        const SharedFrame& frame) {
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
  sends_.add({pieces, copy.piece.written, &copy, false, {}});
  ++counts_.sent_blocks;
  counts_.sent_bytes += copy.size;
  return pieces;
}

/// Keeps the copy where it is until the network has read it, which may begin when what writes it is
/// done. Null: the network cannot read this device, or reads much of it already.
std::shared_ptr<PieceCopy> CopyingResidency::send_direct(ResidentCopy& copy,
                                                         const SharedFrame& frame) {
  if (static_cast<std::int64_t>(copy.size + sends_.direct_bytes()) >
      options_.budget_bytes / network_share)
    return nullptr;
  const std::byte* const place =
      device_.network_pointer(copy.piece.memory.address(), static_cast<device::Extent>(copy.size));
  is_for_network_ = place != nullptr;
  if (!is_for_network_) return nullptr;
  auto pieces = std::make_shared<PieceCopy>(frame, copy.size, place);
  pieces->begin_sending();
  lanes_->wait(Lanes::out, copy.piece.written);
  lanes_->stream(Lanes::out).record(pieces->add(device_.open_event()));
  sends_.add({pieces, copy.piece.written, &copy, true, {}});
  ++copy.pins;
  ++counts_.direct_blocks;
  counts_.direct_bytes += copy.size;
  return pieces;
}

/// Copies the block and waits, to learn how long pieces should be.
void CopyingResidency::send_timed(ResidentCopy& copy) {
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

}  // namespace blockyard::block
