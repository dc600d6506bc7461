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
  [[nodiscard]] bool find(std::span<const Line> at, std::size_t count,
                          std::byte** places) const noexcept;

 private:
  const Distribution& distribution_;
  std::vector<std::byte*> origins_;  ///< by block: where the first element of the array would lie
  std::vector<Extent> steps_;        ///< by block, then axis: bytes from one element to the next
};

}  // namespace blockyard::garray
