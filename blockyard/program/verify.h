// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/program/program.h"

namespace blockyard::program {

/// Proves that running `program` cannot leave its tables, code or stack, whatever the numbers are:
/// every operand is in its table, every jump hits an instruction, the stack has the types that each
/// opcode pops on every path, is empty at loop ends and calls, and never exceeds max_stack; loops
/// open and close in order on every path; selectors fit their arrays in order and index kind;
/// names are printable on a terminal.
/// Throws Error{bad_input} that names the instruction and the broken rule.
void verify(const Program& program);

}  // namespace blockyard::program
