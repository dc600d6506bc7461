// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "blockyard/worker/detail/blocks.h"
#include "blockyard/worker/detail/setting.h"

namespace blockyard::worker::detail {

/// What print statements write; see docs/sial.md for the forms. One thread.
class Printer {
 public:
  Printer(const Setting& setting, Blocks& blocks, Variables& variables,
          std::function<void(std::string_view)> out)
      : setting_(setting),
        naming_(setting.naming),
        blocks_(blocks),
        variables_(variables),
        out_(std::move(out)),
        is_first_(setting.options.worker == 0) {}

  /// From here on every worker prints, or only the first one as at the beginning.
  void let_all_print(bool all) noexcept { do_all_ = all; }
  [[nodiscard]] bool do_all_print() const noexcept { return do_all_; }
  [[nodiscard]] bool is_on() const noexcept { return do_all_ || is_first_; }

  /// Does a print statement.
  void print(const program::Instruction& instruction);
  /// Does an `execute` of one of the super instructions that print; false: of another.
  [[nodiscard]] bool execute(const program::Instruction& instruction);
  /// Writes one piece and `newlines` more newlines.
  void text(std::string_view text, std::int32_t newlines);

 private:
  void named(std::string_view name, std::int64_t value, std::int32_t newlines);
  void named(std::string_view name, Number value, bool is_complex, std::int32_t newlines);
  void value(std::int64_t value, std::int32_t newlines);
  void value(Number value, bool is_complex, std::int32_t newlines);
  void block(std::int32_t selector, std::int32_t newlines);
  void array(std::int32_t array, std::int32_t newlines);
  void arguments(const program::Instruction& instruction);
  void write(std::string text, std::int32_t newlines);
  [[nodiscard]] std::string line() const;
  void elements(std::string_view what, std::string_view name, View view, std::int32_t newlines);
  [[nodiscard]] std::string name_of(std::int32_t selector) const;

  const Setting& setting_;
  const Naming& naming_;
  Blocks& blocks_;
  Variables& variables_;
  std::function<void(std::string_view)> out_;
  bool is_first_;
  bool do_all_ = false;
};

/// All digits of a number, and no more.
[[nodiscard]] std::string shortest(double number);
/// "1.5", or "(1.5,-2)" of a complex number: each part as `part` writes it.
[[nodiscard]] std::string text_of(Number value, bool is_complex,
                                  std::string (*part)(double) = shortest);

}  // namespace blockyard::worker::detail
