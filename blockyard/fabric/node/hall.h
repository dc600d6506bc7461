// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "blockyard/fabric/node/futex.h"

// The layout of the memory that the ranks of a node share. All of it is valid when all zero.
namespace blockyard::fabric::node {

inline constexpr std::size_t cache_line = 64;

/// How a rank learns of a group: from its leader, which waits until it was read.
struct alignas(cache_line) Invitation {
  Signal state;  ///< odd: to be read
  std::uint64_t offset;
};

struct alignas(cache_line) Stripe {
  Latch latch;
};

/// At the beginning of each rank's arena; its invitations, by leader, follow.
struct Control {
  static constexpr std::size_t stripe_count = 256;
  /// Bytes of this rank's memory that one stripe guards, one after the other.
  static constexpr std::size_t stripe_bytes = 16384;

  std::atomic<std::uint32_t> is_aborted;  ///< of rank 0: the run of all is over
  std::atomic<std::uint32_t> has_cause;   ///< and why, once this is 2
  std::array<char, 2000> cause;
  /// A bit for each processor that this rank may run on; all 0 before it is there.
  std::array<std::atomic<std::uint64_t>, 16> processors;
  alignas(cache_line) std::atomic<std::int64_t> outstanding;  ///< of rank 0: bytes being claimed
  std::array<Stripe, stripe_count> stripes;

  [[nodiscard]] Invitation* invitations() noexcept {
    return reinterpret_cast<Invitation*>(this + 1);
  }
};

/// A member's contribution to a collective. Two sets of words: late members still read the former.
struct alignas(cache_line) Seat {
  std::uint64_t tag;
  std::array<std::array<std::uint64_t, 4>, 2> words;
  std::array<char, 176> what;
  std::atomic<std::uint64_t> rounds;  ///< collectives that this member came to
};

/// In the arena of a group's first member. Seats follow, then two buffers for each member.
struct Crowd {
  static constexpr std::size_t buffer_bytes = 8192;

  alignas(cache_line) std::atomic<std::uint32_t> arrived;
  std::atomic<std::uint32_t> is_quarrel;
  alignas(cache_line) Signal round;

  [[nodiscard]] static std::size_t byte_count(std::size_t members) noexcept {
    return sizeof(Crowd) + members * (sizeof(Seat) + 2 * buffer_bytes);
  }
  [[nodiscard]] Seat* seats() noexcept { return reinterpret_cast<Seat*>(this + 1); }
  [[nodiscard]] std::byte* buffer(std::size_t members, std::size_t member,
                                  std::size_t which) noexcept {
    return reinterpret_cast<std::byte*>(seats() + members) + (2 * member + which) * buffer_bytes;
  }
};

}  // namespace blockyard::fabric::node
