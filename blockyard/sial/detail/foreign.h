// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// What those write who know another language, or misspell ours: for hints, and so that the parser
/// goes on as if it had been ours and does not report the same slip again further down.
namespace blockyard::sial::detail {

/// Our word for the first word of a statement, of another language or misspelt; "" if none is near.
[[nodiscard]] std::string nearest_statement(std::string_view word);

/// "do" of "for" and "pardo" of "forall", which begin loops elsewhere; "" for other words.
[[nodiscard]] std::string_view loop_meant_by(std::string_view word) noexcept;

/// "int" of "integer", "scalar" of "real"; "" for what declares no value elsewhere.
[[nodiscard]] std::string_view declaration_meant_by(std::string_view word) noexcept;

/// What ends a block: "enddo" of "endfor", and of "end" where `next` is "do" or "for". "end" alone,
/// or with a name, is `innermost`. "" for what ends no block elsewhere.
[[nodiscard]] std::string_view end_meant_by(std::string_view word, std::string_view next,
                                            std::string_view innermost) noexcept;

/// What to do about a name followed by arguments that no array has: of functions elsewhere; "".
[[nodiscard]] std::string_view hint_for_function(std::string_view name) noexcept;

/// What to do about a character that means nothing in SIAL.
[[nodiscard]] std::string_view hint_for_character(char c) noexcept;

}  // namespace blockyard::sial::detail
