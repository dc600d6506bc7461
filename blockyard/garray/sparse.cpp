// SPDX-License-Identifier: Apache-2.0
#include "blockyard/garray/sparse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "blockyard/base/error.h"

namespace blockyard::garray {

namespace {

using fabric::Strided;

std::size_t index(Extent value) { return static_cast<std::size_t>(value); }

fabric::Region shared(const Runtime& runtime, int group, std::size_t bytes) {
  const auto made = runtime.memory().allocate(runtime.team(group).group, bytes);
  if (made.region >= 0) return made.region;
  throw base::Error(
      base::Errc::no_memory,
      fmt::format(": a sparse matrix has no memory at process {}: {} bytes are wanted, "
                  "{} are left to {}",
                  made.member, made.wanted, made.left, made.limit));
}

void move(fabric::Memory& memory, fabric::Region region, int member, std::size_t offset, void* near,
          std::size_t bytes, bool is_put) {
  if (bytes == 0) return;
  Strided row;
  row.row_bytes = bytes;
  const auto transfer = is_put ? memory.put(region, member, offset, row, near)
                               : memory.get(region, member, offset, row, near);
  static_cast<void>(memory.done(transfer, true));
}

}  // namespace

Sparse::Sparse(Runtime& runtime, Kind kind, Extent rows, Extent columns, int group)
    : runtime_(runtime), kind_(std::move(kind)), rows_(rows), columns_(columns), group_(group) {
  if (rows < 1 || columns < 1)
    refuse(fmt::format("a sparse matrix of {} x {} elements has none", rows, columns));
  if (!kind_.element) refuse("the elements of a sparse matrix are numbers");
  members_ = static_cast<int>(runtime.team(group).ranks.size());
  me_ = runtime.team(group).me;
  own_.resize(static_cast<std::size_t>(members_));
}

int Sparse::owner_of(Extent row) const noexcept {
  auto member = static_cast<int>(row * members_ / rows_);
  while (member > 0 && row < first_row(member)) --member;
  while (row >= first_row(member + 1)) ++member;
  return member;
}

void Sparse::add(Extent row, Extent column, const void* value) {
  if (is_assembled_) refuse("the sparse matrix is assembled: nothing can be added to it any more");
  if (row < 0 || row >= rows_ || column < 0 || column >= columns_)
    refuse(fmt::format("element ({}, {}) is outside the sparse matrix of {} x {}", row, column,
                       rows_, columns_));
  entries_.push_back({row, column});
  const auto* bytes = static_cast<const std::byte*>(value);
  values_.insert(values_.end(), bytes, bytes + kind_.bytes);
}

/// Where each letter of this rank begins among those that its receiver gets, in the order of
/// senders, and how many bytes this rank gets. Who sends nothing to a member says nothing to it.
std::pair<std::vector<std::int64_t>, std::size_t> Sparse::letter_places(
    const std::vector<std::vector<std::byte>>& letters) {
  fabric::Memory& memory = runtime_.memory();
  const fabric::Group group = runtime_.team(group_).group;
  constexpr std::size_t unit = sizeof(std::int64_t);
  const std::size_t bytes = letters.size() * unit, mine = static_cast<std::size_t>(me_) * unit;
  const auto meet = [&] {
    memory.fence(-1);
    memory.barrier(group);
  };
  std::vector<std::int64_t> numbers(letters.size());  // by sender: how long, then where it begins
  const fabric::Region board = shared(runtime_, group_, bytes);
  move(memory, board, me_, 0, numbers.data(), bytes, true);
  meet();
  for (std::size_t to = 0; to < letters.size(); ++to) {
    auto length = static_cast<std::int64_t>(letters[to].size());
    if (length > 0) move(memory, board, static_cast<int>(to), mine, &length, unit, true);
  }
  meet();
  move(memory, board, me_, 0, numbers.data(), bytes, false);
  const std::int64_t arriving = std::reduce(numbers.begin(), numbers.end());
  std::exclusive_scan(numbers.begin(), numbers.end(), numbers.begin(), std::int64_t{0});
  move(memory, board, me_, 0, numbers.data(), bytes, true);
  meet();
  std::vector<std::int64_t> begins(letters.size());  // by receiver
  for (std::size_t to = 0; to < letters.size(); ++to)
    if (!letters[to].empty())
      move(memory, board, static_cast<int>(to), mine, &begins[to], unit, false);
  memory.barrier(group);
  memory.release(board);
  return {std::move(begins), index(arriving)};
}

/// Brings each entry to the member that has its row.
void Sparse::deal() {
  fabric::Memory& memory = runtime_.memory();
  const fabric::Group group = runtime_.team(group_).group;
  const auto members = static_cast<std::size_t>(members_);
  const std::size_t unit = sizeof(Entry) + kind_.bytes;
  std::vector<std::vector<std::byte>> letters(members);
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    auto& letter = letters[static_cast<std::size_t>(owner_of(entries_[e].row))];
    letter.resize(letter.size() + unit);
    std::memcpy(letter.data() + letter.size() - unit, &entries_[e], sizeof(Entry));
    std::memcpy(letter.data() + letter.size() - kind_.bytes, values_.data() + e * kind_.bytes,
                kind_.bytes);
  }
  const auto [begins, arriving] = letter_places(letters);
  const fabric::Region box = shared(runtime_, group_, arriving);
  for (std::size_t to = 0; to < members; ++to)
    move(memory, box, static_cast<int>(to), index(begins[to]), letters[to].data(),
         letters[to].size(), true);
  memory.fence(-1);
  memory.barrier(group);
  std::vector<std::byte> letter(arriving);
  move(memory, box, me_, 0, letter.data(), arriving, false);
  memory.barrier(group);
  memory.release(box);
  entries_.resize(arriving / unit);
  values_.resize(entries_.size() * kind_.bytes);
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    std::memcpy(&entries_[e], letter.data() + e * unit, sizeof(Entry));
    std::memcpy(values_.data() + e * kind_.bytes, letter.data() + e * unit + sizeof(Entry),
                kind_.bytes);
  }
}

/// Blocks of the entries, all of which lie in this rank's rows.
void Sparse::build() {
  std::vector<std::size_t> order(entries_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(entries_[a].row, entries_[a].column) <
           std::pair(entries_[b].row, entries_[b].column);
  });
  const Extent first = first_row(me_), count = first_row(me_ + 1) - first;
  for (Block& block : own_) block = {};
  int cut = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Entry& entry = entries_[order[k]];
    if (k > 0 && entries_[order[k - 1]].row == entry.row) {
      if (entries_[order[k - 1]].column == entry.column)
        refuse(fmt::format("element ({}, {}) of the sparse matrix was added twice", entry.row,
                           entry.column));
    } else {
      cut = 0;
    }
    while (entry.column >= first_column(cut + 1)) ++cut;
    Block& block = own_[static_cast<std::size_t>(cut)];
    if (block.offsets.empty()) block.offsets.resize(index(count) + 1);
    ++block.offsets[index(entry.row - first) + 1];
    block.columns.push_back(entry.column);
    const std::byte* value = values_.data() + order[k] * kind_.bytes;
    block.copied.insert(block.copied.end(), value, value + kind_.bytes);
  }
  for (Block& block : own_)
    std::partial_sum(block.offsets.begin(), block.offsets.end(), block.offsets.begin());
  entries_.clear();
  values_.clear();
  is_assembled_ = true;
  publish();
}

/// Moves the blocks to where others reach them. Their values lie only there from then on, so that
/// changes in place are seen.
void Sparse::publish() {
  fabric::Memory& memory = runtime_.memory();
  std::vector<Place> places(own_.size());
  std::size_t numbers = own_.size() * sizeof(Place), contents = 0;
  for (std::size_t cut = 0; cut < own_.size(); ++cut) {
    const Block& block = own_[cut];
    places[cut] = {static_cast<std::int64_t>(numbers), static_cast<std::int64_t>(contents),
                   static_cast<std::int64_t>(block.columns.size())};
    numbers += (block.offsets.size() + block.columns.size()) * sizeof(std::int64_t);
    contents += block.copied.size();
  }
  if (numbers_ >= 0) release();
  numbers_ = shared(runtime_, group_, numbers);
  contents_ = shared(runtime_, group_, contents);
  move(memory, numbers_, me_, 0, places.data(), places.size() * sizeof(Place), true);
  for (std::size_t cut = 0; cut < own_.size(); ++cut) {
    Block& block = own_[cut];
    const std::size_t at = index(places[cut].numbers), offsets = block.offsets.size() * 8;
    move(memory, numbers_, me_, at, block.offsets.data(), offsets, true);
    move(memory, numbers_, me_, at + offsets, block.columns.data(), block.columns.size() * 8, true);
    move(memory, contents_, me_, index(places[cut].contents), block.copied.data(),
         block.copied.size(), true);
    block.in_place = memory.reach(contents_, me_) + places[cut].contents;
    block.copied = std::vector<std::byte>();  // {} would keep the memory
  }
  memory.fence(-1);
  memory.barrier(runtime_.team(group_).group);
}

void Sparse::assemble() {
  if (is_assembled_) refuse("the sparse matrix is assembled already");
  deal();
  build();
}

void Sparse::assign(std::vector<Entry> entries, std::vector<std::byte> values) {
  entries_ = std::move(entries);
  values_ = std::move(values);
  build();
}

void Sparse::release() {
  if (numbers_ < 0) return;
  runtime_.memory().barrier(runtime_.team(group_).group);
  runtime_.memory().release(contents_);
  runtime_.memory().release(numbers_);
  numbers_ = contents_ = -1;
}

Sparse::Block Sparse::block(int member, int cut) const {
  if (member == me_) return own(cut);
  Place place{};
  move(runtime_.memory(), numbers_, member, static_cast<std::size_t>(cut) * sizeof(Place), &place,
       sizeof(Place), false);
  return place.count > 0 ? copy_of(member, place) : Block{};
}

std::vector<Sparse::Place> Sparse::places_of(int member) const {
  std::vector<Place> places(own_.size());
  move(runtime_.memory(), numbers_, member, 0, places.data(), places.size() * sizeof(Place), false);
  return places;
}

Sparse::Block Sparse::copy_of(int member, const Place& place) const {
  fabric::Memory& memory = runtime_.memory();
  Block block;
  block.offsets.resize(index(first_row(member + 1) - first_row(member)) + 1);
  block.columns.resize(index(place.count));
  block.copied.resize(index(place.count) * kind_.bytes);
  const std::size_t at = index(place.numbers), offsets = block.offsets.size() * 8;
  move(memory, numbers_, member, at, block.offsets.data(), offsets, false);
  move(memory, numbers_, member, at + offsets, block.columns.data(), block.columns.size() * 8,
       false);
  move(memory, contents_, member, index(place.contents), block.copied.data(), block.copied.size(),
       false);
  return block;
}

}  // namespace blockyard::garray
