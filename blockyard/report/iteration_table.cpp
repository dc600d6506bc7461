// SPDX-License-Identifier: Apache-2.0
#include "blockyard/report/iteration_table.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

#include "blockyard/base/decimal.h"

namespace blockyard::report {

namespace {

constexpr std::string_view row_begin = "iteration";

struct NamedValue {
  std::string_view name;
  double value = 0;
};

/// The name and value of "LINE:  name = value", or nothing.
std::optional<NamedValue> parse(std::string_view line) {
  const std::size_t colon = line.find_first_not_of("0123456789");
  if (colon == 0 || !line.substr(colon == line.npos ? 0 : colon).starts_with(":  "))
    return std::nullopt;
  line.remove_prefix(colon + 3);
  const std::size_t equals = line.find(" = ");
  if (equals == line.npos) return std::nullopt;
  NamedValue result{line.substr(0, equals), 0};
  line.remove_prefix(equals + 3);
  const auto [end, status] = std::from_chars(line.data(), line.data() + line.size(), result.value);
  if (status != std::errc() || end != line.data() + line.size()) return std::nullopt;
  return result;
}

bool is_change(std::string_view name) { return name.find("change") != name.npos; }

/// Energies want all their digits; errors and changes want their order of magnitude.
bool is_energy(std::string_view name) {
  return !is_change(name) &&
         (name.find("energy") != name.npos || name.find("correlation") != name.npos);
}

std::string print_value(std::string_view name, double value) {
  if (name == row_begin) return fmt::format("{:>11.0f}", value);
  return is_energy(name) ? fmt::format("{:>20.10f}", value) : fmt::format("{:>15.2e}", value);
}

std::string print_name(std::string_view name) {
  return fmt::format("{:>{}}", name, name == row_begin ? 11 : is_energy(name) ? 20 : 15);
}

}  // namespace

void IterationTable::add(std::string_view text) {
  rest_ += text;
  std::size_t begin = 0;
  for (std::size_t end = rest_.find('\n'); end != rest_.npos; end = rest_.find('\n', begin)) {
    add_line(std::string_view(rest_).substr(begin, end - begin));
    begin = end + 1;
  }
  rest_.erase(0, begin);
}

void IterationTable::end() {
  end_row();
  if (!rest_.empty()) print_(rest_);
  rest_.clear();
}

void IterationTable::add_line(std::string_view line) {
  const auto found = parse(line);
  const bool begins_row = found && found->name == row_begin;
  const bool is_full = !head_.empty() && names_.size() >= head_.size();
  if (!found || begins_row || is_full) end_row();
  if (!found) {
    head_.clear();
    title_ = line;
    is_new_ = true;
    return print_(fmt::format("{}\n", line));
  }
  if (!begins_row && names_.empty())
    return print_(fmt::format("  {} = {}\n", found->name, base::decimal(found->value, 10)));
  names_.emplace_back(found->name);
  values_.push_back(found->value);
  if (names_ == head_) end_row();
}

void IterationTable::keep_row() {
  if (std::exchange(is_new_, false)) iterations_.push_back({title_, {}});
  auto& row = iterations_.back().rows.emplace_back();
  for (std::size_t k = 0; k < names_.size(); ++k) row.emplace_back(names_[k], values_[k]);
}

void IterationTable::end_row() {
  if (names_.empty()) return;
  keep_row();
  std::string text;
  if (names_ != head_) {
    for (const std::string& name : names_) text += print_name(name);
    text += '\n';
  }
  for (std::size_t k = 0; k < names_.size(); ++k) text += print_value(names_[k], values_[k]);
  head_ = std::move(names_);
  names_.clear();
  values_.clear();
  print_(text + "\n");
}

}  // namespace blockyard::report
