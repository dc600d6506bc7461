// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

#include "blockyard/worker/detail/existing_blocks.h"
#include "blockyard/worker/detail/prefetcher.h"
#include "blockyard/worker/detail/program_device.h"
#include "blockyard/worker/detail/setting.h"

namespace blockyard::worker::detail {

/// Statements about blocks of distributed and served arrays at their homes: get, put, exists,
/// delete. One thread.
class Transfers {
 public:
  Transfers(const Setting& setting, Blocks& blocks, Loops& loops, ProgramDevice& device,
            Variables& variables)
      : setting_(setting),
        blocks_(blocks),
        device_(device),
        variables_(variables),
        prefetcher_(setting.naming, setting.options, blocks, loops, variables.ints(),
                    variables.scalars(), variables.calls()) {}

  void get(std::int32_t selector);
  void put(const program::Instruction& instruction);
  [[nodiscard]] bool exists(std::int32_t selector);
  /// Collective.
  void delete_array(std::int32_t array);
  /// All blocks of a program begin anew at a barrier: settles puts and forgets copies.
  void end_epoch();
  /// The instruction `pc` is the first of an epoch.
  void begin_epoch(std::int32_t pc) {
    if (prefetcher_.is_on()) prefetcher_.begin_epoch(pc);
  }
  void begin_iteration(std::int32_t pc) { prefetcher_.begin_iteration(pc); }
  /// What the servers hold of the array has changed otherwise.
  void outdate_existing(std::int32_t array);

  /// Of a get line, for the report.
  [[nodiscard]] const DepthChoice& choice(std::int32_t pc) const { return prefetcher_.choice(pc); }

 private:
  [[nodiscard]] block::SharedFrame values_to_put(const program::Instruction& instruction,
                                                 const Place& place, Sending& sending);

  const Setting& setting_;
  Blocks& blocks_;
  ProgramDevice& device_;
  Variables& variables_;
  Prefetcher prefetcher_;
  std::unordered_map<std::int32_t, ExistingBlocks> existing_;  ///< of arrays that were asked about
};

}  // namespace blockyard::worker::detail
