// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "blockyard/program/program.h"

namespace blockyard::flow {

/// Which arrays may be changed in an epoch: whatever a put or delete names that can be reached
/// before the next barrier. Blocks of all others stay as they are until then: they may be got
/// early, without any effect on what a program computes or on which races it has. One thread.
class EpochPuts {
 public:
  explicit EpochPuts(const program::Program& program);

  /// A new epoch begins at `pc`, inside of the procs that return to `calls`.
  /// Cost: one pass over what can be reached.
  void begin(std::int32_t pc, std::span<const std::int32_t> calls);
  [[nodiscard]] bool changes(std::int32_t array) const {
    return is_changed_[static_cast<std::size_t>(array)] != 0;
  }

 private:
  struct Proc {
    bool returns = false;
    std::vector<std::int32_t> callers{};  ///< where it returns to
  };
  [[nodiscard]] Proc& proc_of(std::int32_t pc);
  void visit(std::int32_t pc);
  void follow(std::int32_t pc);
  void add_caller(Proc& proc, std::int32_t pc);

  const program::Program& program_;
  std::vector<Proc> procs_;  ///< the main program, then those of the program
  std::vector<std::uint8_t> is_visited_;
  std::vector<std::uint8_t> is_changed_;  ///< by array
  std::vector<std::int32_t> to_follow_;
};

}  // namespace blockyard::flow
