// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "blockyard/array/block_id.h"
#include "blockyard/block/frame.h"

namespace blockyard::block {

/// The answer to a fetch, and whether it is there yet.
struct Arrival {
  bool is_here = false;
  SharedFrame frame{};      ///< null: the block was never written
  double disk_seconds = 0;  ///< that its home spent at its disk
};

/// The instruction that asks for a block, and its iteration of a pardo.
struct Asker {
  std::int32_t pc = 0;
  std::uint64_t iteration = 0;
};

/// Where the cache gets a block that it does not hold. The worker implements it over the fabric.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  /// Starts to fetch the block. Returns at once; a later wait() fills `into`, which stays where it
  /// is until then or until abandon().
  virtual void fetch(const array::BlockId& id, const Asker& asker, Arrival& into) = 0;
  /// Takes the next message. Returns whether it had to wait for it.
  /// Throws Error{comm} or Error{io} on failure.
  virtual bool wait() = 0;
  /// No Arrival is filled any more: blocks under way are dropped when they come.
  virtual void abandon() noexcept = 0;
};

}  // namespace blockyard::block
