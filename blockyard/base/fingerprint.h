// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

namespace blockyard::base {

/// A 128-bit hash that identifies contents.
struct Fingerprint {
  std::uint64_t low = 0, high = 0;
  friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;
};

/// XXH3 of bytes. Contents crafted to collide under one seed do not collide under
/// another. Any thread. Source: Yann Collet, xxHash, XXH3_128bits, specification 0.8.
[[nodiscard]] Fingerprint fingerprint(std::span<const std::byte> bytes,
                                      std::uint64_t seed) noexcept;

}  // namespace blockyard::base
