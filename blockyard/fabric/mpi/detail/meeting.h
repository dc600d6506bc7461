// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace blockyard::fabric::detail {

enum class Collective : std::uint8_t { barrier, broadcast, reduce, tell };

/// The contribution of a rank to a collective.
struct Offer {
  std::int32_t rank = -1;
  Collective kind = Collective::barrier;
  std::int32_t root = 0;
  std::uint64_t length = 0;      ///< of its memory
  std::vector<std::byte> bytes;  ///< of a broadcast: the root's only
};

/// What came of it.
struct Outcome {
  std::string error;  ///< empty if all is well
  std::vector<std::byte> bytes;
};

[[nodiscard]] std::vector<std::byte> encode(std::span<const Offer> offers);
void decode(std::span<const std::byte> bytes, std::vector<Offer>& into);
[[nodiscard]] std::vector<std::byte> encode(const Outcome& outcome);
[[nodiscard]] Outcome decode_outcome(std::span<const std::byte> bytes);

/// The outcome of what all ranks brought: nothing, the bytes of the root, the sums in the order of
/// ranks, or all that was brought, in the order of ranks.
[[nodiscard]] Outcome combine(std::vector<Offer> offers);

}  // namespace blockyard::fabric::detail
