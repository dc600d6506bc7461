// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "blockyard/program/program.h"

namespace blockyard::flow {

/// What look-ahead must know of a program, found once in its code. Pure.
class Outline {
 public:
  explicit Outline(const program::Program& program);

  /// On what a condition depends.
  enum class Condition : std::uint8_t {
    unknown,  ///< on blocks: not known in advance
    indexes,  ///< on indexes and names that no instruction changes
    names     ///< on names that change too
  };
  /// What look-ahead does at an instruction that it must see.
  enum class Role : std::uint8_t {
    wall,   ///< nothing after it can be known
    flow,   ///< it goes where control goes
    get,    ///< it finds a block
    change  ///< it notes the names that change
  };
  struct Point {
    std::int32_t next = 0;    ///< the first instruction from here on that look-ahead must see
    std::int32_t begin = 0;   ///< of a branch and of where_end: where its expression begins
    std::int32_t around = 0;  ///< of a branch: where to go on if its condition cannot be known
    std::int32_t line = -1;   ///< of a get: its number among the gets
    Condition condition = Condition::unknown;
    Role role = Role::wall;
    program::Control control = program::Control::next;
    bool is_dull = false;  ///< of a do loop: no get, call, pardo or way further out
  };
  /// An instruction that changes an int or a scalar.
  struct Change {
    std::int32_t pc = 0;
    bool is_int = false;
    std::int32_t id = 0;
  };

  [[nodiscard]] const Point& at(std::int32_t pc) const {
    return points_[static_cast<std::size_t>(pc)];
  }
  /// pc of the where_end of a pardo, or -1.
  [[nodiscard]] std::int32_t where_end(std::int32_t pardo) const {
    return where_ends_[static_cast<std::size_t>(pardo)];
  }
  /// The gets of the program: pc by number.
  [[nodiscard]] std::span<const std::int32_t> gets() const { return gets_; }
  /// The changes at begin <= pc < end.
  [[nodiscard]] std::span<const Change> changes(std::int32_t begin, std::int32_t end) const;

 private:
  void find_changes(const program::Program& program);
  void find_conditions(const program::Program& program);
  [[nodiscard]] Condition condition(const program::Program& program, std::int32_t begin,
                                    std::int32_t end) const;
  [[nodiscard]] bool is_changed(bool is_int, std::int32_t id) const;

  std::vector<Point> points_;
  std::vector<std::int32_t> where_ends_;
  std::vector<std::int32_t> gets_;
  std::vector<Change> changes_;  ///< by pc
};

}  // namespace blockyard::flow
