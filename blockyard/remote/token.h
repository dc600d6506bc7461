// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace blockyard::remote {

/// By which a client is known. In a file: a line "NAME SECRET", or "NAME SECRET WEIGHT"; lines
/// with '#' in front do not count.
struct Token {
  std::string name;
  std::string secret;
  double weight = 1;  ///< of its share of a device that others use too
};

/// Whether a share can have this weight: from 0.01 to 100.
[[nodiscard]] bool is_weight(double value) noexcept;

/// The tokens in a file that only its owner can read. Throws Error{bad_input} that names the file
/// and says what to do, never what is in it.
[[nodiscard]] std::vector<Token> read_tokens(const std::string& path);

/// A new one, with an unguessable secret. Throws Error{bad_input} if the name is not made
/// of letters, digits, '_', '-' and '.'.
[[nodiscard]] Token new_token(std::string_view name);

/// Adds a token to a file that only its owner may read; one of that name is replaced.
/// Throws Error{io}.
void add_token(const std::string& path, const Token& token);

}  // namespace blockyard::remote
