// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/fingerprint.h"

#include <xxhash.h>

namespace blockyard::base {

Fingerprint fingerprint(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.low64, hash.high64};
}

}  // namespace blockyard::base
