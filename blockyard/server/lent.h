// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace blockyard::server {

/// An array held outside of the run, in memory or in a file. Its blocks are at home on the servers
/// from the start, under a label. They are read on first use, and again after they were evicted.
/// They are never changed: a writer makes a private copy.
struct Lent {
  std::string label;
  std::vector<std::size_t> block_bytes;  ///< by number in the grid
  /// Gives the values of a block, first index fastest. Called by several I/O threads at a time.
  /// Throws Error{io} if they cannot be read.
  std::function<void(std::uint64_t number, std::span<std::byte> into)> read;
  /// Where a block lies in memory as it would be read; null if it does not. Such a block is lent as
  /// it is, without a copy, and takes nothing of the memory of the run. Empty: none does.
  std::function<const std::byte*(std::uint64_t number)> place = {};
};

}  // namespace blockyard::server
