// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/fingerprint.h"

#include <xxhash.h>

#include <new>

namespace blockyard::base {

namespace {

XXH3_state_t* state_of(void* state) noexcept { return static_cast<XXH3_state_t*>(state); }

}  // namespace

Fingerprint fingerprint(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.low64, hash.high64};
}

Fingerprinter::Fingerprinter(std::uint64_t seed) : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH3_128bits_reset_withSeed(state_of(state_.get()), seed);
}

void Fingerprinter::add(std::span<const std::byte> bytes) noexcept {
  XXH3_128bits_update(state_of(state_.get()), bytes.data(), bytes.size());
}

Fingerprint Fingerprinter::fingerprint() const noexcept {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_of(state_.get()));
  return {hash.low64, hash.high64};
}

void Fingerprinter::Release::operator()(void* state) const noexcept {
  XXH3_freeState(state_of(state));
}

}  // namespace blockyard::base
