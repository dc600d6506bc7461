// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/kept.h"

#include <algorithm>
#include <new>
#include <random>
#include <utility>

namespace blockyard::blas {

namespace {

/// They are searched one by one.
constexpr std::size_t most_operands = 1024;

std::uint64_t drawn_seed() {
  std::random_device source;
  return std::uint64_t{source()} << 32 | source();
}

}  // namespace

Kept::Kept(device::Device& device, std::int64_t budget_bytes)
    : device_(device), budget_bytes_(budget_bytes), seed_(drawn_seed()) {}

std::optional<base::Fingerprint> Kept::content_of(std::span<const std::byte> bytes) {
  const bool looks = is_on() && !bytes.empty() && operands_found_.allows();
  operands_found_.note_miss();
  if (!looks) return std::nullopt;
  return base::fingerprint(bytes, seed_);
}

void Kept::note_found(Operand& operand) noexcept {
  ++operand.uses;
  saved_bytes_ += operand.memory.bytes();
  ++saved_operands_;
  operands_found_.note_hit();
  if (operand.is_result) results_kept_.note_hit();
}

Kept::Operand* Kept::find(const base::Fingerprint& content) {
  const auto found = std::ranges::find(operands_, content, &Operand::content);
  if (found == operands_.end()) return nullptr;
  operands_.splice(operands_.end(), operands_, found);
  note_found(*found);
  return &*found;
}

void Kept::keep_result(Operand& operand, const base::Fingerprint& content) noexcept {
  operand.content = content;
  operand.is_result = operand.is_new = true;
  results_kept_.note_miss();
}

Kept::Operand* Kept::find_result(std::span<const std::byte> bytes) {
  const bool may_be_there = std::ranges::any_of(operands_, [&](const Operand& operand) {
    return operand.is_result && operand.content && operand.uses == 0 &&
           operand.memory.bytes() == static_cast<std::int64_t>(bytes.size());
  });
  if (!may_be_there) return nullptr;
  const bool looks = results_found_.allows();
  results_found_.note_miss();
  Operand* const found = looks ? find(base::fingerprint(bytes, seed_)) : nullptr;
  if (found != nullptr) results_found_.note_hit();
  return found;
}

/// Memory of the same size is used again: allocating is a round trip, and the server clears it.
Kept::Operand* Kept::make(std::int64_t bytes, const std::optional<base::Fingerprint>& content) {
  const bool has_many = operands_.size() >= most_operands;
  const bool is_full = has_many || held_bytes_ + bytes > budget_bytes_;
  const auto find_free = [&](bool takes_known) {
    return std::ranges::find_if(operands_, [&](const Operand& operand) {
      return operand.uses == 0 && operand.memory.bytes() == bytes &&
             (takes_known || !operand.content);
    });
  };
  auto again = find_free(false);
  if (again == operands_.end() && is_full) again = find_free(true);
  if (again != operands_.end()) {
    operands_.splice(operands_.end(), operands_, again);
  } else {
    if (has_many) static_cast<void>(drop_oldest());
    while (held_bytes_ + bytes > budget_bytes_ && drop_oldest()) {
    }
    auto memory = allocate(bytes);
    if (!memory) return nullptr;
    held_bytes_ += bytes;
    operands_.push_back(Operand{.memory = std::move(*memory), .content = {}});
  }
  Operand& made = operands_.back();
  made.is_result = false;
  made.content = content;
  made.uses = 1;
  made.is_new = true;
  return &made;
}

std::optional<device::Memory> Kept::allocate(std::int64_t bytes) {
  auto made = device_.allocate(bytes);
  while (!made && drop_oldest()) made = device_.allocate(bytes);
  return made;
}

bool Kept::drop_oldest() {
  const auto oldest = std::ranges::find(operands_, 0, &Operand::uses);
  if (oldest == operands_.end()) return false;
  held_bytes_ -= oldest->memory.bytes();
  operands_.erase(oldest);
  return true;
}

void Kept::make_room(std::int64_t bytes, std::int64_t memory_bytes) {
  while (memory_bytes > 0 && held_bytes_ + bytes > memory_bytes && drop_oldest()) {
  }
}

void Kept::give_back(std::int64_t bytes) {
  const std::int64_t before = held_bytes_;
  while (before - held_bytes_ < bytes && drop_oldest()) {
  }
  budget_bytes_ = held_bytes_;
}

void Kept::let_go(Operand* operand) noexcept {
  if (operand != nullptr) --operand->uses;
}

void Kept::let_go(std::span<Operand* const> used, bool has_failed) noexcept {
  for (Operand* const operand : used) {
    if (operand == nullptr) continue;
    if (has_failed && operand->is_new) operand->content.reset();
    operand->is_new = false;
    --operand->uses;
  }
}

device::Stream Kept::take_stream() {
  if (streams_.empty()) return device_.open_stream();
  device::Stream taken = std::move(streams_.back());
  streams_.pop_back();
  return taken;
}

void Kept::put_back(device::Stream stream) noexcept try {
  streams_.push_back(std::move(stream));
} catch (const std::bad_alloc&) {  // it is closed
}

void Kept::end_call(bool has_failed) noexcept {
  for (Operand& operand : operands_) {
    if (has_failed && operand.is_new) operand.content.reset();
    operand.uses = 0;
    operand.is_new = false;
  }
}

}  // namespace blockyard::blas
