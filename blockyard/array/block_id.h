// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace blockyard::array {

/// The name of a block: its array, and its number in the grid of the array's blocks.
struct BlockId {
  std::int32_t array = 0;
  std::uint64_t number = 0;
  friend bool operator==(const BlockId&, const BlockId&) = default;
};

/// Mixes all bits of both fields. Source: finalizer of SplitMix64 (Steele, Lea, Flood 2014).
[[nodiscard]] constexpr std::size_t hash_of(const BlockId& id) noexcept {
  std::uint64_t x = id.number + 0x9e3779b97f4a7c15ULL * (static_cast<std::uint64_t>(id.array) + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<std::size_t>(x ^ (x >> 31));
}

struct BlockIdHash {
  [[nodiscard]] std::size_t operator()(const BlockId& id) const noexcept { return hash_of(id); }
};

/// The server (0 .. servers-1) that owns a block: the blocks of an array are dealt in turn, from
/// the first server on. The array does not count, so that it can take over the blocks of another.
[[nodiscard]] constexpr int home_of(const BlockId& id, int servers) noexcept {
  return static_cast<int>(id.number % static_cast<std::uint64_t>(servers));
}

/// Those of `before` servers at which any block was at home that now is at home on server `server`
/// of `servers`. Numbers that are `server` modulo `servers` are the same modulo each common divisor
/// of both counts, and all that the largest one allows occur. Each server begins with another one.
[[nodiscard]] inline std::vector<int> former_homes(int server, int servers, int before) {
  const int step = std::gcd(servers, before);
  std::vector<int> homes;
  for (int k = 0; k < before / step; ++k) homes.push_back((server + k * step) % before);
  return homes;
}

}  // namespace blockyard::array
