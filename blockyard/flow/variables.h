// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "blockyard/flow/expressions.h"
#include "blockyard/flow/naming.h"

namespace blockyard::flow {

/// The numbers of a program that runs: its ints and scalars, the values of expressions under
/// way, and the calls that it is in. One thread.
class Variables {
 public:
  Variables(const Naming& naming, const std::vector<std::int64_t>& index_values)
      : naming_(naming),
        ints_(naming.tables.ints),
        scalars_(naming.tables.scalars),
        values_(naming, index_values, ints_, scalars_) {}
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

  [[nodiscard]] std::vector<Number>& scalars() noexcept { return scalars_; }
  [[nodiscard]] const std::vector<Number>& scalars() const noexcept { return scalars_; }
  [[nodiscard]] const std::vector<std::int64_t>& ints() const noexcept { return ints_; }
  [[nodiscard]] Number& scalar(std::int32_t number) {
    return scalars_[static_cast<std::size_t>(number)];
  }
  /// The values of expressions under way.
  [[nodiscard]] Expressions& values() noexcept { return values_; }
  [[nodiscard]] bool is_between_statements() const noexcept { return values_.is_empty(); }
  /// Expressions without blocks, and stores: true if the instruction was one.
  [[nodiscard]] bool evaluate(const program::Instruction& instruction) {
    return values_.evaluate(instruction) || store(instruction);
  }
  /// The factor of a block statement with these flags.
  [[nodiscard]] Number pop_factor(std::int32_t flags);

  /// Where calls return to, from outside in.
  [[nodiscard]] const std::vector<std::int32_t>& calls() const noexcept { return calls_; }
  /// Throws Error{bad_input} if too many calls are under way.
  void call(std::int32_t return_pc);
  [[nodiscard]] std::int32_t end_call() noexcept;

  /// As they were at a barrier, with no expression under way. False: they are of another program.
  [[nodiscard]] bool restore(std::span<const std::int64_t> ints, std::span<const Number> scalars,
                             std::span<const std::int32_t> calls);

 private:
  [[nodiscard]] bool store(const program::Instruction& instruction);
  void store_scalar(const program::Instruction& instruction);

  const Naming& naming_;
  std::vector<std::int64_t> ints_;
  std::vector<Number> scalars_;
  Expressions values_;
  std::vector<std::int32_t> calls_;
};

}  // namespace blockyard::flow
