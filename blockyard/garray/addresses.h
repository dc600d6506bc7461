// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "blockyard/garray/array.h"

namespace blockyard::garray {

/// Where elements of an array lie in the memory of this process: tables by block, for many
/// look-ups. Valid as long as the array is. Any thread.
class Addresses {
 public:
  /// Look-ups at a time.
  static constexpr std::size_t most = 256;
  using Line = std::array<Extent, most>;

  /// REQUIRES: array.is_near.
  explicit Addresses(const Array& array);
  /// at[d][i]: the index of element i on axis d. False: one of the `count` elements is outside.
  [[nodiscard]] bool find(std::span<const Line> at, std::size_t count, std::byte** places) noexcept;
  /// From now on find() counts elements by member.
  void count() { counts_.assign(members_, 0); }
  /// Empty: they were not counted.
  [[nodiscard]] std::span<const std::uint64_t> counts() const noexcept { return counts_; }

 private:
  void add(std::span<const Extent> blocks) noexcept;

  const Distribution& distribution_;
  std::size_t members_;
  std::vector<std::uint64_t> counts_;
  std::vector<int> holders_;         ///< by block: the member
  std::vector<std::byte*> origins_;  ///< by block: where the first element of the array would lie
  std::vector<Extent> steps_;        ///< by block, then axis: bytes from one element to the next
};

}  // namespace blockyard::garray
