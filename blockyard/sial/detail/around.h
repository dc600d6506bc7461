// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "blockyard/sial/checked.h"

namespace blockyard::sial::detail {

/// The loops and conditions around a statement, and what they say of indexes there.
class Around {
 public:
  /// How many there are, so that a scope can be left.
  struct Mark {
    std::size_t loops = 0;
    std::size_t equal = 0;
    std::size_t apart = 0;
  };
  [[nodiscard]] Mark mark() const { return {loops_.size(), equal_.size(), apart_.size()}; }
  void return_to(const Mark& mark);

  void enter_do(std::int32_t index) { loops_.push_back({index, ++loop_count_}); }
  void enter_pardo(std::int32_t index) { loops_.push_back({index, in_pardo}); }
  /// What a condition says where it holds: `i == j`, `i != j`, `i < j`, `i > j`, joined by `and`.
  void learn(const checked::Expr& condition);

  static constexpr std::uint32_t in_pardo = UINT32_MAX;
  /// Number of the do that gives `index` its value, never used twice; 0: it is a caller's.
  /// `in_pardo`: a pardo, so that at the same time it has other values elsewhere.
  [[nodiscard]] std::uint32_t loop_of(std::int32_t index) const;
  /// Whether the indexes differ here.
  [[nodiscard]] bool are_apart(std::int32_t a, std::int32_t b) const;
  /// The same index for all that are equal here.
  [[nodiscard]] std::int32_t equal_to(std::int32_t index) const;
  [[nodiscard]] bool knows_equal() const { return !equal_.empty(); }

 private:
  struct Pair {
    std::int32_t a = -1;
    std::int32_t b = -1;
  };
  struct Loop {
    std::int32_t index = -1;
    std::uint32_t number = 0;
  };
  std::vector<Loop> loops_;
  std::vector<Pair> equal_;
  std::vector<Pair> apart_;
  std::uint32_t loop_count_ = 0;
};

}  // namespace blockyard::sial::detail
