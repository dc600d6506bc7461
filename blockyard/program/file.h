// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "blockyard/program/program.h"

namespace blockyard::program {

/// The header of a file: magic, u32 version, then u64 length and u64 checksum of the payload.
inline constexpr std::string_view file_magic = "BYPROG\r\n";  // shows a transfer in text mode
inline constexpr std::uint32_t file_version = 4;
/// The oldest that can be read: it has no names of unused constants.
inline constexpr std::uint32_t oldest_file_version = 3;
inline constexpr std::size_t file_header_bytes = 28;

/// The program as a file: magic, version, length, checksum, tables, code. See docs/bytecode.md.
[[nodiscard]] std::vector<std::byte> write(const Program& program);

/// Reads what `write` wrote, and verifies it.
/// Throws Error{bad_input} with the reason: no such file, another version, cut short,
/// changed bytes, or a program that `verify` refuses. Memory used is bounded by the input's length.
[[nodiscard]] Program read(std::span<const std::byte> bytes);

}  // namespace blockyard::program
