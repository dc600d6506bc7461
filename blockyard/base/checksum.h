// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace blockyard::base {

/// 64-bit checksum of bytes (XXH3), the one used in every file and message of ours. Any thread.
/// Source: Yann Collet, xxHash, XXH3_64bits, specification 0.8.
[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> bytes) noexcept;

}  // namespace blockyard::base
