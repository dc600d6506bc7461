// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "blockyard/flow/bind.h"
#include "blockyard/program/program.h"

namespace blockyard::flow {

/// Where the blocks are at home that a selector of form `block` means while the indexes that have
/// a value keep it and the others go through their ranges: how many elements each server has. The
/// sum over the others is made once (blocks go round the servers by their number, in which each
/// index counts by itself), so that a change of the bound indexes costs as much as one block where
/// all are bound, and at most as many steps as there are servers.
class HomeBytes {
 public:
  /// The indexes that have no value in `values` are the free ones; where one of them is a subindex,
  /// the result is unknown. Blocks outside of the array count as zero.
  HomeBytes(const program::Program& program, const Tables& tables,
            const program::Selector& selector, std::span<const std::int64_t> values, int servers);

  /// Adds the bytes at home on each server to those of its process: the bound indexes as in
  /// `values`. Adds no bytes where one is outside of the array, or all servers have about as
  /// much. REQUIRES: process_of_server[s] is an entry of `bytes` for each server s.
  void add(std::span<const std::int64_t> values, std::span<const std::int32_t> process_of_server,
           std::span<std::int64_t> bytes) const;

 private:
  struct Share {
    std::uint64_t shift;  ///< of the number of the block, modulo the servers
    std::int64_t elements;
  };
  void spread(std::size_t first, std::span<const std::int64_t> values);
  [[nodiscard]] bool is_even() const;

  const program::Program& program_;
  const Tables& tables_;
  const array::Grid& grid_;
  std::int32_t array_;
  std::int64_t element_bytes_;
  int servers_;
  std::vector<std::int32_t> indexes_;  ///< of the program, at each axis
  std::vector<bool> is_free_;          ///< by axis
  std::vector<Share> shares_;          ///< elements of the free axes
};

}  // namespace blockyard::flow
