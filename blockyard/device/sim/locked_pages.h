// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

namespace blockyard::device::sim {

/// Which pages of the host are locked.
class LockedPages {
 public:
  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const auto& [begin, length] : pages_) sum += length;
    return sum;
  }
  [[nodiscard]] bool touches(std::uint64_t begin, std::uint64_t bytes) const {
    const auto after = pages_.lower_bound(begin + bytes);
    if (after == pages_.begin()) return false;
    const auto& [low, length] = *std::prev(after);
    return low + length > begin;
  }
  void add(std::uint64_t begin, std::uint64_t bytes) { pages_.emplace(begin, bytes); }
  /// False: no locked pages begin there.
  [[nodiscard]] bool remove(std::uint64_t begin) { return pages_.erase(begin) == 1; }

 private:
  std::map<std::uint64_t, std::uint64_t> pages_;  ///< begin, bytes
};

}  // namespace blockyard::device::sim
