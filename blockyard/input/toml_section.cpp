// SPDX-License-Identifier: Apache-2.0
#include "blockyard/input/toml_section.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "blockyard/base/text.h"

namespace blockyard::input {

using base::Errc;
using base::Error;

namespace {

std::string_view type_name(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return "a list";
  if (node.is_string()) return "a text";
  if (node.is_integer()) return "an integer";
  if (node.is_floating_point()) return "a number";
  if (node.is_boolean()) return "true or false";
  return "a date or time";
}

/// The known key that is nearest, also where two letters of `key` are in the wrong order.
std::string nearest_key(std::string_view key, const std::vector<std::string>& known) {
  std::string nearest = base::nearest_name(key, known);
  for (std::size_t k = 0; nearest.empty() && k + 1 < key.size(); ++k) {
    std::string swapped(key);
    std::swap(swapped[k], swapped[k + 1]);
    nearest = base::nearest_name(swapped, known);
  }
  return nearest;
}

std::string unknown_key(std::string_view section, std::string_view key,
                        const std::vector<std::string>& known) {
  const std::string where = section.empty() ? "the job file" : fmt::format("[{}]", section);
  const std::string nearest = nearest_key(key, known);
  if (!nearest.empty())
    return fmt::format("unknown key \"{}\" in {}: did you mean \"{}\"?", key, where, nearest);
  return fmt::format("unknown key \"{}\" in {}; known are: {}", key, where, fmt::join(known, ", "));
}

}  // namespace

Error error_at(const std::string& path, const toml::node& node, std::string_view message) {
  return {Errc::bad_input, fmt::format("{}:{}: {}", path, node.source().begin.line, message)};
}

TomlSection::TomlSection(const toml::table& table, std::string name, const std::string& path,
                         const std::vector<std::string>& known)
    : table_(table), name_(std::move(name)), path_(path) {
  for (const auto& [key, node] : table) {
    if (std::ranges::find(known, key.str()) == known.end())
      throw Error(Errc::bad_input, fmt::format("{}:{}: {}", path, key.source().begin.line,
                                               unknown_key(name_, key.str(), known)));
  }
}

Error TomlSection::error(std::string_view key, std::string_view message) const {
  const std::string full = name_.empty() ? std::string(key) : fmt::format("{}.{}", name_, key);
  const toml::node& place = has(key) ? node(key) : table_;  // of a missing key that of the section
  return error_at(path_, place, fmt::format("{}: {}", full, message));
}

Error TomlSection::wrong_type(std::string_view key, std::string_view wanted) const {
  return error(key, fmt::format("must be {}, not {}", wanted, type_name(node(key))));
}

std::optional<std::string> TomlSection::text(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  if (const auto* value = node(key).as_string()) return value->get();
  throw wrong_type(key, "a text");
}

std::optional<bool> TomlSection::truth(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  if (const auto* value = node(key).as_boolean()) return value->get();
  throw wrong_type(key, "true or false");
}

std::optional<std::int64_t> TomlSection::integer(std::string_view key, std::int64_t least) const {
  if (!has(key)) return std::nullopt;
  const auto* value = node(key).as_integer();
  if (value == nullptr) throw wrong_type(key, "an integer");
  if (value->get() < least) throw error(key, fmt::format("must be at least {}", least));
  return value->get();
}

std::optional<double> TomlSection::number(std::string_view key, bool zero_is_good) const {
  if (!has(key)) return std::nullopt;
  if (!node(key).is_number()) throw wrong_type(key, "a number");
  const double value = *node(key).value<double>();
  if (!std::isfinite(value)) throw error(key, "is not a finite number");
  if (!(value > 0 || (zero_is_good && value == 0)))
    throw error(key, zero_is_good ? "must not be negative" : "must be above 0");
  return value;
}

std::vector<std::string> TomlSection::texts(std::string_view key) const {
  std::vector<std::string> result;
  if (!has(key)) return result;
  const auto* list = node(key).as_array();
  if (list == nullptr) throw wrong_type(key, "a list of texts");
  for (const toml::node& entry : *list) {
    if (!entry.is_string()) throw error(key, "must be a list of texts");
    result.push_back(entry.as_string()->get());
  }
  return result;
}

}  // namespace blockyard::input
