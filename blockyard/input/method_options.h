// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace blockyard::input {

/// How the value of an option is written in the job file.
enum class OptionForm : std::uint8_t { count, truth, word, number };

/// The values that a count or a number may have; a fraction is less than 1.
enum class OptionRange : std::uint8_t { from_zero, above_zero, fraction };

/// An option of [method]: a predefined int (count, truth, word) or scalar (number) of our SIAL
/// programs, called `key` in both. The constants are listed in sialib/README.md.
struct MethodOption {
  std::string_view key;
  OptionForm form = OptionForm::count;
  double standard = 0;                      ///< the default
  std::array<std::string_view, 3> words{};  ///< of a word: those for 0, 1, 2; "": none
  std::string_view help;                    ///< for `blockyard methods` and docs/chemistry.md
  std::string_view usual{};                 ///< what holds without it, if not just `standard`
  OptionRange range = OptionRange::from_zero;
};

/// The default as a user would write it.
[[nodiscard]] std::string usual_value(const MethodOption& option);

[[nodiscard]] std::span<const MethodOption> method_options() noexcept;
/// The one of this key; null: there is none.
[[nodiscard]] const MethodOption* find_method_option(std::string_view key) noexcept;

}  // namespace blockyard::input
