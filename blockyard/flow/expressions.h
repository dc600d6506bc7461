// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "blockyard/flow/naming.h"

namespace blockyard::flow {

/// The expression stack, and the opcodes that need nothing but it, the names of a program and the
/// values of its indexes. The verifier has proved that the stack holds what is popped. One thread.
class Expressions {
 public:
  Expressions(const Naming& naming, const std::vector<std::int64_t>& index_values,
              const std::vector<std::int64_t>& ints, const std::vector<Number>& scalars)
      : naming_(naming), index_values_(index_values), ints_(ints), scalars_(scalars) {}
  Expressions(const Expressions&) = delete;
  Expressions& operator=(const Expressions&) = delete;

  /// Whether evaluate() knows the opcode.
  [[nodiscard]] static bool knows(program::Opcode opcode) noexcept;
  /// Does one instruction; false if it is not one of ours.
  /// Throws Error{bad_input} for what has no value: an unbound index, a zero divisor, ...
  [[nodiscard]] bool evaluate(const program::Instruction& instruction);

  void push(std::int64_t value) noexcept { (++top_)->i = value; }
  void push(Number value) noexcept {
    (++top_)->s = value.real();
    top_->imaginary = value.imag();
  }
  void push_truth(bool value) noexcept { (++top_)->b = value; }
  [[nodiscard]] std::int64_t pop_int() noexcept { return (top_--)->i; }
  [[nodiscard]] Number pop_number() noexcept {
    const Value& value = *top_--;
    return {value.s, value.imaginary};
  }
  [[nodiscard]] bool pop_truth() noexcept { return (top_--)->b; }
  void clear() noexcept { top_ = stack_.data(); }
  [[nodiscard]] bool is_empty() const noexcept { return top_ == stack_.data(); }

 private:
  /// The verifier knows which. Of a real scalar `imaginary` is 0.
  struct Value {
    union {
      std::int64_t i;
      double s;
      bool b;
    };
    double imaginary;
  };
  void real_arithmetic(program::Opcode opcode);
  void complex_arithmetic(program::Opcode opcode);

  const Naming& naming_;
  const std::vector<std::int64_t>& index_values_;
  const std::vector<std::int64_t>& ints_;
  const std::vector<Number>& scalars_;
  std::array<Value, program::max_stack + 1> stack_{};
  Value* top_ = stack_.data();
};

}  // namespace blockyard::flow
