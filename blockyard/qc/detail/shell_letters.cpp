// SPDX-License-Identifier: Apache-2.0
#include "blockyard/qc/detail/shell_letters.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "blockyard/base/error.h"
#include "blockyard/base/text.h"
#include "blockyard/qc/detail/words.h"

namespace blockyard::qc::detail {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw base::Error(base::Errc::bad_input, message);
}

}  // namespace

std::optional<std::vector<int>> parse_shell_letters(std::string_view word) {
  const auto plain = base::lower(word);
  if (plain == "sp" || plain == "l") return std::vector{0, 1};
  if (plain.size() != 1) return std::nullopt;
  const auto momentum = shell_letters.find(plain[0]);
  if (momentum == std::string_view::npos) return std::nullopt;
  return std::vector{static_cast<int>(momentum)};
}

PrimitiveRow parse_primitive(const std::vector<std::string_view>& words, std::size_t columns) {
  if (words.size() < 2 || (columns != 0 && words.size() != columns))
    refuse(fmt::format("expected an exponent and {} coefficients, found {} words",
                       columns == 0 ? "its" : std::to_string(columns - 1), words.size()));
  PrimitiveRow row;
  for (const auto word : words) {
    const auto value = parse_real(word);
    if (!value) refuse(fmt::format("'{}' is not a number", word));
    row.push_back(*value);
  }
  if (row[0] <= 0.0) refuse(fmt::format("the exponent {} is not positive", words[0]));
  return row;
}

std::vector<Contraction> segment_contractions(const std::vector<int>& momenta,
                                              const std::vector<PrimitiveRow>& rows) {
  if (rows.empty()) refuse("a shell without primitives");
  const auto columns = rows.front().size() - 1;
  if (momenta.size() > 1 && columns != momenta.size())
    refuse(fmt::format("an SP shell has 2 coefficients in a line, not {}", columns));
  std::vector<Contraction> contractions;
  for (std::size_t column = 0; column < columns; ++column) {
    Contraction contraction;
    contraction.angular_momentum = momenta.size() > 1 ? momenta[column] : momenta[0];
    for (const auto& row : rows) {
      if (row[column + 1] == 0.0) continue;
      contraction.exponents.push_back(row[0]);
      contraction.coefficients.push_back(row[column + 1]);
    }
    if (contraction.exponents.empty()) refuse("a contraction whose coefficients are all 0");
    contractions.push_back(std::move(contraction));
  }
  return contractions;
}

void add_shell(std::vector<Contraction> shell, std::vector<Contraction>& of_element) {
  for (Contraction& contraction : shell) {
    if (std::ranges::find(of_element, contraction) != of_element.end())
      refuse("this shell repeats an earlier one of its element: is the element there twice?");
    of_element.push_back(std::move(contraction));
  }
}

}  // namespace blockyard::qc::detail
