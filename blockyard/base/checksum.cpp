// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/checksum.h"

#include <xxhash.h>

namespace blockyard::base {

std::uint64_t checksum(std::span<const std::byte> bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace blockyard::base
