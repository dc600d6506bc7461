// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/checksum.h"

#include <xxhash.h>

#include <new>

namespace blockyard::base {

std::uint64_t checksum(std::span<const std::byte> bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

struct Checksum::State {
  XXH3_state_t* state = XXH3_createState();
};

Checksum::Checksum() : state_(std::make_unique<State>()) {
  if (state_->state == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset(state_->state);
}
Checksum::~Checksum() { XXH3_freeState(state_->state); }
void Checksum::add(std::span<const std::byte> bytes) noexcept {
  XXH3_64bits_update(state_->state, bytes.data(), bytes.size());
}
std::uint64_t Checksum::value() const noexcept { return XXH3_64bits_digest(state_->state); }

}  // namespace blockyard::base
