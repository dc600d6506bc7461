// SPDX-License-Identifier: Apache-2.0
#include "blockyard/server/block_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/server/server.h"

namespace blockyard::server {
namespace {

using base::BufferPool;
using base::Errc;
using base::Error;

/// Slots written ahead of need when room runs out, so that the next can be dropped at once.
constexpr int slots_ahead = 16;
/// A wait for the disk that gives nothing for this long looks again.
constexpr double patience_seconds = 1;

std::string text_of_bytes(std::size_t bytes) {
  return base::format_bytes(static_cast<std::int64_t>(bytes));
}

}  // namespace

Slot::Slot(BlockMemory& memory, std::int32_t array, fabric::Payload payload)
    : memory_(memory), array_(array), bytes_(payload->size()), payload_(std::move(payload)) {
  age_ = memory_.by_age_.insert(memory_.by_age_.end(), this);
  memory_.charge(bytes_);
}

Slot::Slot(BlockMemory& memory, const Lent& lent, std::uint64_t number)
    : memory_(memory), array_(-1), bytes_(lent.block_bytes[number]), lent_(&lent), number_(number) {
  const std::byte* place = lent.place ? lent.place(number) : nullptr;
  if (place == nullptr) return;
  // Lent memory is never written to.
  payload_ =
      std::make_shared<base::Buffer>(base::Buffer::lent(const_cast<std::byte*>(place), bytes_));
  is_in_place_ = true;
}

Slot::~Slot() {
  if (is_being_read()) memory_.discharge(bytes_);
  if (is_replaceable()) memory_.evict(*this);
}

BlockMemory::BlockMemory(base::BufferPool& pool, std::size_t budget_bytes, SpillPlace place,
                         std::string owner, base::Recording* recording)
    : pool_(pool),
      budget_bytes_(budget_bytes),
      place_(std::move(place)),
      owner_(std::move(owner)),
      recording_(recording) {}

bool BlockMemory::make_room(std::size_t bytes, const Slot* kept) {
  const std::size_t wanted = BufferPool::charge(bytes);
  if (held_bytes_ + wanted <= budget_bytes_) return true;
  if (wanted > budget_bytes_) fail_too_small(wanted);
  std::size_t missing = held_bytes_ + wanted - budget_bytes_;
  int ahead = slots_ahead;
  for (auto it = by_age_.begin(); it != by_age_.end() && ahead > 0;) {
    Slot& slot = **it++;
    if (&slot == kept) continue;
    if (missing == 0) --ahead;
    if (!slot.is_in_transfer_ && !slot.is_stored()) {
      begin_write(slot);
    } else if (!slot.is_in_transfer_ && missing > 0) {
      evict(slot);
    }
    missing -= std::min(missing, BufferPool::charge(slot.bytes_));
  }
  if (held_bytes_ + wanted <= budget_bytes_) return true;
  if (!is_in_transfer()) fail_too_small(held_bytes_ + wanted);
  return false;
}

void BlockMemory::fail_too_small(std::size_t needed) const {
  throw Error(Errc::no_memory,
              fmt::format("{}: its memory of {} is too small: {} are needed at one time; give more "
                          "memory (--memory) or take smaller segments",
                          owner_, text_of_bytes(budget_bytes_), text_of_bytes(needed)));
}

SlotRef BlockMemory::adopt(std::int32_t array, fabric::Payload payload) {
  return std::make_shared<Slot>(*this, array, std::move(payload));
}

SlotRef BlockMemory::lend(const Lent& lent, std::uint64_t number) {
  return std::make_shared<Slot>(*this, lent, number);
}

void BlockMemory::replace(Slot& slot, fabric::Payload payload) {
  base::require(slot.is_replaceable() && !slot.is_in_transfer_ && payload->size() == slot.bytes_,
                "only a resident block gets new values, of its own length");
  slot.payload_ = std::move(payload);
  slot.record_ = {};
  slot.lent_ = nullptr;
  touch(slot);
}

void BlockMemory::touch(Slot& slot) {
  if (!slot.is_in_place_) by_age_.splice(by_age_.end(), by_age_, slot.age_);
}

void BlockMemory::read_back(Slot& slot) {
  base::require(!slot.is_resident() && !slot.is_in_transfer_ && slot.is_stored(),
                "what is read back is stored only");
  auto buffer = std::make_shared<base::Buffer>(pool_.allocate(slot.bytes_));
  charge(slot.bytes_);
  slot.is_in_transfer_ = true;
  if (!spiller_) spiller_.emplace();
  if (slot.lent_ != nullptr)
    spiller_->start({slot.shared_from_this(),
                     nullptr,
                     {},
                     {},
                     nullptr,
                     std::move(buffer),
                     slot.lent_,
                     slot.number_});
  else
    spiller_->start({slot.shared_from_this(),
                     slot.file_.get(),
                     slot.record_.place(),
                     {},
                     nullptr,
                     std::move(buffer)});
}

void BlockMemory::begin_write(Slot& slot) {
  if (!slot.file_) slot.file_ = file_of(slot.array_);
  if (!spiller_) spiller_.emplace();
  auto record = slot.file_->reserve(slot.bytes_);
  const auto place = record.place();
  slot.is_in_transfer_ = true;
  spiller_->start({slot.shared_from_this(), slot.file_.get(), place, std::move(record),
                   slot.payload_, nullptr});
}

std::shared_ptr<store::SpillFile> BlockMemory::file_of(std::int32_t array) {
  auto file = files_[array].lock();
  if (file == nullptr) {
    // Numbered: an array of the next program may have the number of one that a label still holds.
    const auto path = fmt::format("{}-array-{}-{}.spill", place_.path.string(), array, made_files_);
    ++made_files_;
    file = std::make_shared<store::SpillFile>(place_.store, path);
    files_[array] = file;
  }
  return file;
}

std::span<const std::byte> BlockMemory::values_of(const Slot& slot,
                                                  std::vector<std::byte>& scratch) {
  if (slot.is_resident()) return slot.payload_->bytes();
  base::require(!slot.is_in_transfer_ && slot.is_stored(), "what is not in memory is stored");
  scratch.resize(slot.bytes_);
  if (slot.lent_ != nullptr) {
    slot.lent_->read(slot.number_, scratch);
    return scratch;
  }
  slot.file_->read(slot.record_.place(), scratch, pages_);
  return scratch;
}

void BlockMemory::wait_for_room(std::size_t bytes) {
  while (!make_room(bytes, nullptr)) settle_one();
}

void BlockMemory::wait_for_transfers() {
  while (is_in_transfer()) settle_one();
}

void BlockMemory::settle_one() {
  std::vector<array::BlockId> arrived;
  wait(patience_seconds);
  (void)settle(arrived);
  base::require(arrived.empty(), "no block is awaited meanwhile");
}

void BlockMemory::note(const Transfer& transfer) noexcept {
  recording_->trace.add({transfer.begin_seconds, transfer.seconds,
                         static_cast<std::int32_t>(transfer.slot->bytes_ >> 10), 0,
                         static_cast<std::uint8_t>(transfer.from != nullptr),
                         static_cast<std::uint8_t>(Server::first_disk_lane + transfer.lane)});
}

bool BlockMemory::settle(std::vector<array::BlockId>& arrived) {
  if (!is_in_transfer()) return false;
  auto finished = spiller_->take_finished();
  for (Transfer& transfer : finished) {
    Slot& slot = *transfer.slot;
    if (recording_ != nullptr) note(transfer);
    slot.is_in_transfer_ = false;
    if (transfer.from) {
      slot.record_ = std::move(transfer.record);
      spilled_bytes_ += slot.bytes_;
    } else {
      slot.payload_ = std::move(transfer.into);
      slot.age_ = by_age_.insert(by_age_.end(), &slot);
      if (slot.lent_ == nullptr) read_back_bytes_ += slot.bytes_;
      arrived.insert(arrived.end(), slot.wanted_by.begin(), slot.wanted_by.end());
      slot.wanted_by.clear();
    }
  }
  return !finished.empty();
}

void BlockMemory::wait(double seconds) {
  if (is_in_transfer()) spiller_->wait(seconds);
}

bool BlockMemory::is_in_transfer() const noexcept { return spiller_ && spiller_->in_flight() > 0; }

void BlockMemory::evict(Slot& slot) noexcept {
  slot.payload_.reset();
  by_age_.erase(slot.age_);
  discharge(slot.bytes_);
}

void BlockMemory::charge(std::size_t bytes) noexcept {
  held_bytes_ += BufferPool::charge(bytes);
  peak_bytes_ = std::max(peak_bytes_, held_bytes_);
}

void BlockMemory::discharge(std::size_t bytes) noexcept {
  held_bytes_ -= BufferPool::charge(bytes);
}

}  // namespace blockyard::server
