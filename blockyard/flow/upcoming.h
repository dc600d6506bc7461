// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "blockyard/flow/expressions.h"
#include "blockyard/flow/loop_nest.h"
#include "blockyard/flow/outline.h"
#include "blockyard/flow/place.h"

namespace blockyard::flow {

/// A get that the program will come to.
struct Coming {
  NamedBlock block;
  std::int32_t pc = 0;
  bool is_certain = false;      ///< the program will come to this get, unless it ends before
  std::uint64_t iteration = 0;  ///< of a pardo, for the race rule; 0 outside
};

/// Runs ahead of the interpreter, with loops and index values of its own: follows do, pardo, call,
/// and each if and where that depends on indexes and constants only, and yields the gets it meets,
/// in their order. Touches no block and sends nothing. What depends on data is passed over; so are
/// names that were changed on the way. Stops before whatever ends an epoch. No allocation after
/// the first restart. One thread.
class Upcoming {
 public:
  /// `sharing`: the worker's, with the policy of the job.
  Upcoming(const Naming& naming, const Outline& outline, const Sharing& sharing,
           const std::vector<std::int64_t>& ints, const std::vector<Number>& scalars);

  /// Goes to where the program is: the instruction `pc` is the next. `chunk`: the number of the one
  /// that the pardo under way is at.
  void restart(std::int32_t pc, const LoopNest& loops, std::int64_t chunk,
               std::span<const std::int32_t> calls);

  enum class Step : std::uint8_t {
    found,
    paused,        ///< `budget` is used up
    chunk_wanted,  ///< give chunk chunk_number() to take_chunk()
    wall           ///< nothing more is known until the program itself has come by here
  };
  /// The next get. Each instruction looked at costs one of `budget`.
  [[nodiscard]] Step next(Coming& coming, int& budget);
  [[nodiscard]] std::int64_t chunk_number() const noexcept { return chunk_number_; }
  [[nodiscard]] std::uint64_t chunk_counter() const noexcept {
    return loops_.open().back().counter;
  }
  void take_chunk(std::int64_t first, std::int64_t last) noexcept;
  /// The program may have overtaken look-ahead, and names may have values of later on: until the
  /// next restart no get is certain.
  void doubt() noexcept { is_certain_ = false; }
  [[nodiscard]] bool is_certain() const noexcept { return is_certain_; }

 private:
  [[nodiscard]] Step see(Coming& coming);
  [[nodiscard]] Step follow(const program::Instruction& instruction);
  void branch(std::int32_t target);
  [[nodiscard]] Step begin_pardo(const program::Instruction& instruction);
  [[nodiscard]] Step next_pardo();
  void begin_do(const program::Instruction& instruction);
  void next_do(const program::Instruction& instruction);
  /// The truth of the condition that ends at `pc`, if it can be known.
  [[nodiscard]] std::optional<bool> condition(std::int32_t pc);
  [[nodiscard]] bool is_changed_on_the_way(std::int32_t begin, std::int32_t end) const;
  void note_changes(std::int32_t begin, std::int32_t end);

  const Naming& naming_;
  const Outline& outline_;
  Sharing sharing_;
  LoopNest loops_;
  Expressions expressions_;
  std::int32_t pc_ = 0;
  std::vector<std::int32_t> calls_;
  std::vector<std::uint8_t> int_changed_;
  std::vector<std::uint8_t> scalar_changed_;
  std::int64_t chunk_number_ = 0;
  bool is_certain_ = true;  ///< nothing unknown was passed over, no doubt
  bool is_lost_ = false;    ///< what comes next depends on what was not followed
};

}  // namespace blockyard::flow
