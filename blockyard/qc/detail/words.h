// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blockyard::qc::detail {

/// The words of a line, parted by blanks, tabs and carriage returns.
[[nodiscard]] std::vector<std::string_view> split_words(std::string_view line);

/// The lines of a text without their line ends; line number n is element n - 1.
[[nodiscard]] std::vector<std::string_view> split_lines(std::string_view text);

/// A text as one line of a file: line ends become blanks; as base::showable else.
[[nodiscard]] std::string one_line(std::string_view text);

/// A finite real such as -1.5, +2, .5E-3 or 1.0D+02 (Fortran), or nothing.
[[nodiscard]] std::optional<double> parse_real(std::string_view word);

/// A whole decimal number, or nothing.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view word);

/// The whole content of a file. Throws Error{io} that says what the file is for.
[[nodiscard]] std::string read_text_file(const std::string& path, std::string_view purpose);

}  // namespace blockyard::qc::detail
