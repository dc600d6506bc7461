// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "blockyard/base/shared_memory.h"

namespace blockyard::base {

/// A range of addresses that other processes of this node can map, given out in pieces of whole
/// pages. Only pieces in use have memory. An address serves one length for ever, so free pieces are
/// never joined or searched: there are far more addresses than memory. One thread at a time, except
/// for the queries.
class SharedArena {
 public:
  static constexpr std::size_t page_bytes = 4096;

  /// For pieces of about `memory_bytes` at one time. Throws Error{no_memory}.
  explicit SharedArena(std::size_t memory_bytes);

  /// A piece of `bytes`, whole pages, contents undefined; null if none is left.
  [[nodiscard]] std::byte* allocate(std::size_t bytes) noexcept;
  void release(std::byte* data, std::size_t bytes) noexcept;

  [[nodiscard]] bool holds(const std::byte* data) const noexcept {
    return data >= memory_.data() && data < memory_.data() + memory_.size();
  }
  /// The offset of a piece, the same for all that map the arena.
  [[nodiscard]] std::size_t offset_of(const std::byte* data) const noexcept {
    return static_cast<std::size_t>(data - memory_.data());
  }
  [[nodiscard]] MemoryAddress address() const noexcept { return memory_.address(); }

 private:
  SharedMemory memory_;
  std::size_t end_ = 0;  ///< of the part that was ever given out
  std::map<std::size_t, std::vector<std::byte*>> released_;  ///< by length
};

}  // namespace blockyard::base
