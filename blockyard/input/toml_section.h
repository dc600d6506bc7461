// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::input {

/// Error{bad_input} "path:line: message" at a node of a TOML file.
[[nodiscard]] base::Error error_at(const std::string& path, const toml::node& node,
                                   std::string_view message);

/// One table of a TOML file whose keys are all known. Every call names its key; every result
/// has the requested type, or Error{bad_input} with file and line is thrown. One thread.
class TomlSection {
 public:
  /// `name` is that of the table in messages, "" for the top. Throws for a key not in `known`.
  TomlSection(const toml::table& table, std::string name, const std::string& path,
              const std::vector<std::string>& known);

  [[nodiscard]] bool has(std::string_view key) const { return table_.contains(key); }
  [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
  [[nodiscard]] std::optional<bool> truth(std::string_view key) const;
  /// An integer of at least `least`.
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key, std::int64_t least) const;
  /// A number above zero, or from zero on if `zero_is_good`.
  [[nodiscard]] std::optional<double> number(std::string_view key, bool zero_is_good) const;
  /// A list of texts.
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;
  [[nodiscard]] const toml::node& node(std::string_view key) const { return *table_.get(key); }
  [[nodiscard]] base::Error error(std::string_view key, std::string_view message) const;

 private:
  [[nodiscard]] base::Error wrong_type(std::string_view key, std::string_view wanted) const;
  const toml::table& table_;
  std::string name_;
  const std::string& path_;
};

}  // namespace blockyard::input
