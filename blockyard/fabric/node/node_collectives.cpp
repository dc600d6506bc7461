// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "blockyard/base/error.h"
#include "blockyard/fabric/node/node_memory.h"

namespace blockyard::fabric::node {

void NodeMemory::throw_quarrel(const Members& members) const {
  std::string text = "processes came to different collective calls:";
  const Seat* seats = members.crowd->seats();
  const std::size_t shown = std::min<std::size_t>(members.ranks.size(), 8);
  for (std::size_t m = 0; m < shown; ++m)
    text += fmt::format(" [{}] {}{}", name_of(members.ranks[m]),
                        seats[m].what[0] == '\0' ? "a sync" : seats[m].what.data(),
                        m + 1 < shown ? "," : "");
  throw base::Error(base::Errc::bad_input, text);
}

void NodeMemory::come(Members& members, const Meeting& meeting) {
  Crowd& crowd = *members.crowd;
  const auto count = static_cast<std::uint32_t>(members.ranks.size());
  ++members.round;
  if (count == 1) return;
  Seat* seats = crowd.seats();
  Seat& own = seats[members.mine];
  own.tag = meeting.tag;
  const std::size_t length = std::min(meeting.what.size(), own.what.size() - 1);
  std::memcpy(own.what.data(), meeting.what.data(), length);
  own.what[length] = '\0';
  const std::uint32_t seen = crowd.round.word.load(std::memory_order_acquire);
  if (crowd.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == count) {
    for (std::uint32_t m = 0; m < count; ++m)
      if (seats[m].tag != own.tag) crowd.is_quarrel.store(1, std::memory_order_relaxed);
    crowd.arrived.store(0, std::memory_order_relaxed);
    crowd.round.word.store(seen + 1);
    crowd.round.wake_all();
  } else {
    while (crowd.round.word.load(std::memory_order_acquire) == seen) wait_a_bit(crowd.round, seen);
  }
  if (crowd.is_quarrel.load(std::memory_order_relaxed) != 0) throw_quarrel(members);
}

void NodeMemory::barrier(Group group, const Meeting& meeting) { come(members(group), meeting); }

void NodeMemory::broadcast(Group group, std::span<std::byte> bytes, int member) {
  Members& all = members(group);
  const std::size_t root = static_cast<std::size_t>(member), count = all.ranks.size();
  if (count == 1) return;
  constexpr std::size_t piece = Crowd::buffer_bytes;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const std::size_t length = std::min(piece, bytes.size() - at);
    std::byte* buffer = all.crowd->buffer(count, root, all.round % 2);
    if (all.mine == root) std::memcpy(buffer, bytes.data() + at, length);
    come(all, {});
    if (all.mine != root) std::memcpy(bytes.data() + at, buffer, length);
  }
}

void NodeMemory::reduce_piece(Members& members, Element element, Reduction reduction,
                              std::byte* values, std::size_t count, std::size_t width) {
  constexpr std::size_t few_bytes = 512;
  const std::size_t size = members.ranks.size(), which = members.round % 2;
  const auto buffer = [&](std::size_t m) { return members.crowd->buffer(size, m, which); };
  std::memcpy(buffer(members.mine), values, count * width);
  come(members, {});
  if (count * width <= few_bytes || size == 2) {
    std::memcpy(values, buffer(0), count * width);
    for (std::size_t m = 1; m < size; ++m) combine(element, reduction, values, buffer(m), count);
    return;
  }
  // Each member combines its share of the values, in its own buffer, for all. The share is its own
  // in every buffer, so no other member reads what it changes; the sum begins with the first
  // member's.
  const auto share = [&](std::size_t m) { return count * m / size * width; };
  const std::size_t begin = share(members.mine), end = share(members.mine + 1);
  const std::size_t length = (end - begin) / width;
  std::memcpy(values + begin, buffer(0) + begin, end - begin);
  for (std::size_t m = 1; m < size; ++m)
    combine(element, reduction, values + begin, buffer(m) + begin, length);
  std::memcpy(buffer(members.mine) + begin, values + begin, end - begin);
  come(members, {});
  for (std::size_t m = 0; m < size; ++m)
    std::memcpy(values + share(m), buffer(m) + share(m), share(m + 1) - share(m));
  // The round advanced by two: the next one uses this set of buffers as well. No rank may write
  // there before all have read.
  come(members, {});
}

void NodeMemory::reduce(Group group, Element element, Reduction reduction, void* values,
                        std::size_t count) {
  Members& all = members(group);
  if (all.ranks.size() == 1) {
    // A single value has an absolute value as well.
    if (reduction == Reduction::absmax || reduction == Reduction::absmin)
      combine(element, reduction, values, values, count);
    return;
  }
  const std::size_t width = size_of(element), most = Crowd::buffer_bytes / width;
  for (std::size_t at = 0; at < count; at += most)
    reduce_piece(all, element, reduction, static_cast<std::byte*>(values) + at * width,
                 std::min(most, count - at), width);
}

}  // namespace blockyard::fabric::node
