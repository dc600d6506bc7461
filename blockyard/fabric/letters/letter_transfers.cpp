// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/fabric/letters/letter_memory.h"

namespace blockyard::fabric::letters {

namespace {

/// Values that one letter of a list has at most: their offsets and they are in memory twice.
constexpr std::size_t list_length = std::size_t{1} << 16;

/// A letter reads the caller's memory but does not change it.
std::byte* readable(const void* near) {
  return const_cast<std::byte*>(static_cast<const std::byte*>(near));
}

/// The offsets, followed by the values.
Body list_of(std::span<const std::int64_t> offsets, std::span<const std::byte> values) {
  std::vector<std::byte> bytes(offsets.size_bytes() + values.size());
  std::memcpy(bytes.data(), offsets.data(), offsets.size_bytes());
  if (!values.empty())
    std::memcpy(bytes.data() + offsets.size_bytes(), values.data(), values.size());
  return Body::of(std::move(bytes));
}

/// Calls visit(offsets, where they begin) for pieces of a list.
template <class Visit>
void for_each_list(std::span<const std::int64_t> offsets, const Visit& visit) {
  for (std::size_t at = 0; at < offsets.size(); at += list_length)
    visit(offsets.subspan(at, std::min(list_length, offsets.size() - at)), at);
}

}  // namespace

int LetterMemory::rank_at(Region region, int member) const noexcept {
  return regions_->shared(region).ranks[static_cast<std::size_t>(member)];
}

Front LetterMemory::front_of(Kind kind, Region region, int member, std::size_t offset) const {
  Front front;
  front.kind = kind;
  front.region = regions_->shared(region).numbers[static_cast<std::size_t>(member)];
  front.offset = offset;
  return front;
}

/// Sends a letter whose completion only a fence confirms.
Transfer LetterMemory::send(int to, Letter letter) {
  // A process that does not serve for a while shall not be buried in letters.
  constexpr std::uint64_t most_on_the_way = 256;
  const auto at = static_cast<std::size_t>(to);
  if (sent_[at] - there_[at] >= most_on_the_way) fence(to);
  const Transfer transfer = office_->tell(to, std::move(letter));
  ++sent_[at];
  return transfer;
}

Transfer LetterMemory::get(Region region, int member, std::size_t offset, const Strided& rows,
                           void* near) {
  const Shared& shared = regions_->shared(region);
  const auto at = static_cast<std::size_t>(member);
  if (shared.bases[at] != nullptr)
    return node_->get(shared.here, shared.members_here[at], offset, rows, near);
  if (rows.byte_count() == 0) return 0;
  Letter letter{front_of(Kind::get, region, member, offset), {}};
  letter.front.rows = rows;
  letter.front.piece_bytes = piece_bytes_of(rows, false);
  return office_->ask(shared.ranks[at], std::move(letter),
                      {{packed(rows, rows.near_strides), static_cast<std::byte*>(near)}});
}

Transfer LetterMemory::put(Region region, int member, std::size_t offset, const Strided& rows,
                           const void* near) {
  const Shared& shared = regions_->shared(region);
  const auto at = static_cast<std::size_t>(member);
  if (shared.bases[at] != nullptr)
    return node_->put(shared.here, shared.members_here[at], offset, rows, near);
  if (rows.byte_count() == 0) return 0;
  Letter letter{front_of(Kind::put, region, member, offset),
                {packed(rows, rows.near_strides), readable(near)}};
  letter.front.rows = rows;
  return send(shared.ranks[at], std::move(letter));
}

Transfer LetterMemory::accumulate(Region region, int member, std::size_t offset,
                                  const Strided& rows, const void* near, Element element,
                                  const void* factor) {
  const Shared& shared = regions_->shared(region);
  const auto at = static_cast<std::size_t>(member);
  if (shared.bases[at] != nullptr)
    return node_->accumulate(shared.here, shared.members_here[at], offset, rows, near, element,
                             factor);
  if (rows.byte_count() == 0) return 0;
  Letter letter{front_of(Kind::accumulate, region, member, offset),
                {packed(rows, rows.near_strides), readable(near)}};
  letter.front.rows = rows;
  letter.front.element = element;
  std::memcpy(letter.front.factor.data(), factor, size_of(element));
  return send(shared.ranks[at], std::move(letter));
}

void LetterMemory::gather(Region region, int member, std::span<const std::int64_t> offsets,
                          std::size_t bytes, void* near) {
  const Shared& shared = regions_->shared(region);
  const auto at = static_cast<std::size_t>(member);
  if (shared.bases[at] != nullptr)
    return node_->gather(shared.here, shared.members_here[at], offsets, bytes, near);
  std::vector<Transfer> asked;
  for_each_list(offsets, [&](std::span<const std::int64_t> part, std::size_t begin) {
    Letter letter{front_of(Kind::gather, region, member, 0), list_of(part, {})};
    letter.front.count = part.size();
    letter.front.width = bytes;
    asked.push_back(office_->ask(
        shared.ranks[at], std::move(letter),
        {{one_row(part.size() * bytes), static_cast<std::byte*>(near) + begin * bytes}}));
  });
  for (const Transfer transfer : asked) static_cast<void>(done(transfer, true));
}

void LetterMemory::scatter(Region region, int member, std::span<const std::int64_t> offsets,
                           std::size_t bytes, const void* near) {
  const Shared& shared = regions_->shared(region);
  const auto at = static_cast<std::size_t>(member);
  if (shared.bases[at] != nullptr)
    return node_->scatter(shared.here, shared.members_here[at], offsets, bytes, near);
  for_each_list(offsets, [&](std::span<const std::int64_t> part, std::size_t begin) {
    Letter letter{front_of(Kind::scatter, region, member, 0),
                  list_of(part, {readable(near) + begin * bytes, part.size() * bytes})};
    letter.front.count = part.size();
    letter.front.width = bytes;
    static_cast<void>(send(shared.ranks[at], std::move(letter)));
  });
}

void LetterMemory::scatter_add(Region region, int member, std::span<const std::int64_t> offsets,
                               const void* near, Element element, const void* factor) {
  const Shared& shared = regions_->shared(region);
  const auto at = static_cast<std::size_t>(member);
  if (shared.bases[at] != nullptr)
    return node_->scatter_add(shared.here, shared.members_here[at], offsets, near, element, factor);
  const std::size_t width = size_of(element);
  for_each_list(offsets, [&](std::span<const std::int64_t> part, std::size_t begin) {
    Letter letter{front_of(Kind::scatter_add, region, member, 0),
                  list_of(part, {readable(near) + begin * width, part.size() * width})};
    letter.front.count = part.size();
    letter.front.width = width;
    letter.front.element = element;
    std::memcpy(letter.front.factor.data(), factor, width);
    static_cast<void>(send(shared.ranks[at], std::move(letter)));
  });
}

std::int64_t LetterMemory::fetch_and_add(Region region, int member, std::size_t offset,
                                         Element element, std::int64_t increment) {
  const Shared& shared = regions_->shared(region);
  const auto at = static_cast<std::size_t>(member);
  if (shared.bases[at] != nullptr)
    return node_->fetch_and_add(shared.here, shared.members_here[at], offset, element, increment);
  Letter letter{front_of(Kind::fetch_and_add, region, member, offset), {}};
  letter.front.element = element;
  letter.front.value = increment;
  return office_->number_of(office_->ask(shared.ranks[at], std::move(letter)));
}

void LetterMemory::lock(Region region, int member, std::size_t offset) {
  const Shared& shared = regions_->shared(region);
  const auto at = static_cast<std::size_t>(member);
  if (shared.bases[at] != nullptr) return node_->lock(shared.here, shared.members_here[at], offset);
  static_cast<void>(office_->number_of(
      office_->ask(shared.ranks[at], {front_of(Kind::lock, region, member, offset), {}})));
}

bool LetterMemory::unlock(Region region, int member, std::size_t offset) {
  const Shared& shared = regions_->shared(region);
  const auto at = static_cast<std::size_t>(member);
  if (shared.bases[at] != nullptr)
    return node_->unlock(shared.here, shared.members_here[at], offset);
  return office_->number_of(office_->ask(
             shared.ranks[at], {front_of(Kind::unlock, region, member, offset), {}})) != 0;
}

void LetterMemory::fence(int rank) {
  node_->fence(-1);
  struct Question {
    std::size_t rank;
    std::uint64_t sent;
    Transfer transfer;
  };
  std::vector<Question> all;
  const auto ask = [&](int of) {
    const auto at = static_cast<std::size_t>(of);
    const std::uint64_t sent = sent_[at];
    if (sent == there_[at]) return;
    Letter letter;
    letter.front.kind = Kind::fence;
    all.push_back({at, sent, office_->ask(of, std::move(letter))});
  };
  if (rank >= 0) ask(rank);
  for (int of = 0; rank < 0 && of < size(); ++of) ask(of);
  for (const Question& asked : all) {
    static_cast<void>(done(asked.transfer, true));
    std::uint64_t before = there_[asked.rank];
    while (before < asked.sent && !there_[asked.rank].compare_exchange_weak(before, asked.sent)) {
    }
  }
}

}  // namespace blockyard::fabric::letters
