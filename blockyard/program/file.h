// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "blockyard/program/program.h"

namespace blockyard::program {

/// The program as a file: magic, version, length, checksum, tables, code. See docs/bytecode.md.
[[nodiscard]] std::vector<std::byte> write(const Program& program);

/// Reads what `write` wrote, and verifies it.
/// Throws Error{bad_input} that says what is wrong: no such file, another version, cut short,
/// changed bytes, or a program that `verify` refuses. Memory used is bounded by the input's length.
[[nodiscard]] Program read(std::span<const std::byte> bytes);

}  // namespace blockyard::program
