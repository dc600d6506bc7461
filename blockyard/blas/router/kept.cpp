// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/kept.h"

#include <algorithm>
#include <utility>

namespace blockyard::blas {

/// They are searched one by one.
constexpr std::size_t most_operands = 1024;

Kept::Operand* Kept::find(const base::Fingerprint& content) {
  const auto found = std::ranges::find(operands_, content, &Operand::content);
  if (found == operands_.end()) return nullptr;
  found->is_in_use = true;
  operands_.splice(operands_.end(), operands_, found);
  return &*found;
}

/// Memory of the same size is used again: allocating is a round trip, and the server clears it.
Kept::Operand* Kept::make(std::int64_t bytes, const std::optional<base::Fingerprint>& content) {
  const bool has_many = operands_.size() >= most_operands;
  const bool is_full = has_many || held_bytes_ + bytes > budget_bytes_;
  const auto fits = [&](const Operand& operand) {
    return !operand.is_in_use && operand.memory.bytes() == bytes && (is_full || !operand.content);
  };
  const auto again = std::ranges::find_if(operands_, fits);
  if (again != operands_.end()) {
    operands_.splice(operands_.end(), operands_, again);
  } else {
    if (has_many) static_cast<void>(drop_oldest());
    while (held_bytes_ + bytes > budget_bytes_ && drop_oldest()) {
    }
    auto memory = device_.allocate(bytes);
    while (!memory && drop_oldest()) memory = device_.allocate(bytes);
    if (!memory) return nullptr;
    held_bytes_ += bytes;
    operands_.push_back({std::move(*memory), {}, false, false});
  }
  Operand& made = operands_.back();
  made.content = content;
  made.is_in_use = made.is_new = true;
  return &made;
}

bool Kept::drop_oldest() {
  const auto oldest = std::ranges::find(operands_, false, &Operand::is_in_use);
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
  if (operand == nullptr) return;
  operand->is_in_use = false;
}

void Kept::end_call(bool has_failed) noexcept {
  for (Operand& operand : operands_) {
    if (has_failed && operand.is_new) operand.content.reset();
    operand.is_in_use = operand.is_new = false;
  }
}

}  // namespace blockyard::blas
