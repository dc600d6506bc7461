// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace blockyard::base {

/// Throws Error{io} "cannot read PATH: it is a folder" if that is what it is.
void refuse_folder(const std::string& path);

/// The content of a file. Throws Error{io} that names it and says why it cannot be read.
[[nodiscard]] std::string read_file(const std::string& path);

/// The content of a file; nothing, and why, if it cannot be read.
[[nodiscard]] std::optional<std::string> try_read_file(const std::string& path,
                                                       std::string& reason);

/// What an open file or stream still has. Throws Error{io} that says why `name` cannot be read.
[[nodiscard]] std::string read_descriptor(int descriptor, std::string_view name);

/// The text without the mark that some editors write before one in UTF-8.
[[nodiscard]] std::string_view without_byte_order_mark(std::string_view text);

/// read_file without that mark.
[[nodiscard]] std::string read_text(const std::string& path);

}  // namespace blockyard::base
