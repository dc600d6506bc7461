// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "blockyard/program/program.h"

namespace blockyard::program {

/// Blocks of one product.
inline constexpr std::size_t max_factors = 64;
/// Characters of a name, and of a text.
inline constexpr std::size_t max_name = 255;
inline constexpr std::size_t max_text = 65535;

/// Proves that running `program` cannot leave its tables, code or stack, whatever the numbers are:
/// every operand is in its table, every jump hits an instruction, the stack has the types that each
/// opcode pops on every path, is empty at loop ends and calls, and never exceeds max_stack; loops
/// open and close in order on every path; selectors fit their arrays in order and index kind;
/// names are printable on a terminal.
/// Throws Error{bad_input} that names the instruction and the broken rule.
void verify(const Program& program);

/// What verify() refuses a program for, and the source line of the instruction where it is one.
struct Fault {
  std::string text;
  std::optional<SourceLine> at;
};

/// The same without an exception: nothing if verify() would pass.
[[nodiscard]] std::optional<Fault> fault_of(const Program& program);

}  // namespace blockyard::program
