// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "blockyard/program/flow.h"

namespace blockyard::flow {

/// A variable that every worker has for itself.
struct Variable {
  enum class Kind : std::uint8_t { int_name, scalar, static_array };
  Kind kind = Kind::scalar;
  std::int32_t id = 0;
};

/// Whether a program still reads a variable before it overwrites it: conservative, "yes" where it
/// cannot tell. The end of a program reads nothing but what set_persistent marked. One thread.
class Liveness {
 public:
  Liveness(const program::Program& program, Variable variable)
      : program_(program), variable_(variable) {}

  /// At `pc`, with the places to return to, the innermost last.
  [[nodiscard]] bool is_live(std::int32_t pc, std::span<const std::int32_t> calls);

 private:
  /// What the paths from a place to the end of its procedure do.
  struct Paths {
    bool read = false;     ///< one of them reads the variable first
    bool returns = false;  ///< one of them returns without touching it
  };
  enum class Touch : std::uint8_t { none, read, overwrite };

  [[nodiscard]] Paths explore(std::int32_t pc);
  [[nodiscard]] Paths paths_of_call(std::int32_t target);
  [[nodiscard]] Touch touch(std::int32_t pc) const;
  [[nodiscard]] bool is_ours(const program::Operand& operand) const;
  /// Whether an instruction names the array more often than `beyond` times.
  [[nodiscard]] bool mentions_array(const program::Instruction& instruction, int beyond) const;
  /// Whether a nest of do loops begins at `pc` that overwrites the whole array, block by block,
  /// and reads none of it before.
  [[nodiscard]] bool is_overwriting_nest(std::int32_t pc) const;
  [[nodiscard]] bool covers_array(std::span<const std::int32_t> loops,
                                  const program::Selector& selector) const;

  const program::Program& program_;
  Variable variable_;
  std::unordered_map<std::int32_t, Paths> calls_;
};

/// What is written in pardos that share their iterations out, by entries of the tables: after such
/// a pardo a worker has its part of a sum there, even if all parts happen to be equal.
struct PardoWrites {
  std::vector<bool> ints;
  std::vector<bool> scalars;
  std::vector<bool> arrays;
};
[[nodiscard]] PardoWrites pardo_writes(const program::Program& program);

}  // namespace blockyard::flow
