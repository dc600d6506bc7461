// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace blockyard::rpc {

using Digest = std::array<std::byte, 32>;

/// SHA-256. Source: FIPS 180-4.
[[nodiscard]] Digest sha256(std::span<const std::byte> message);

/// HMAC-SHA-256 of a message under a key: only holders of the key can make it, and it does not
/// reveal the key. Source: RFC 2104, with the test vectors of RFC 4231.
[[nodiscard]] Digest hmac(std::span<const std::byte> key, std::span<const std::byte> message);

/// Whether they are equal, in a time that does not depend on where they differ.
[[nodiscard]] bool is_same(const Digest& one, const Digest& two) noexcept;

/// Unpredictable bytes from the system. Throws Error{internal} if it has none.
[[nodiscard]] Digest random_bytes();

}  // namespace blockyard::rpc
