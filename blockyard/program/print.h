// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "blockyard/program/program.h"

namespace blockyard::program {

/// The whole program for a reader: tables, then one line per instruction with names put in.
[[nodiscard]] std::string print(const Program& program);

/// `a[i,j]`, as the source has it.
[[nodiscard]] std::string print_selector(const Program& program, const Selector& selector);

/// The word of the declaration: "distributed".
[[nodiscard]] std::string_view word_of(ArrayKind kind) noexcept;

/// The opcode table as the Markdown of docs/bytecode.md.
[[nodiscard]] std::string print_opcode_table();

}  // namespace blockyard::program
