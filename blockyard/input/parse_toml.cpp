// SPDX-License-Identifier: Apache-2.0
#include "blockyard/input/parse_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "blockyard/base/error.h"

namespace blockyard::input {
namespace {

using base::Errc;
using base::Error;

/// Finds keys of very many dotted parts. toml++ limits how deep values nest, but makes of a dotted
/// key one table within the other, and frees them by recursion, which can exhaust the stack.
class KeyScan {
 public:
  explicit KeyScan(std::string_view text) : text_(text) {}

  /// The line of the first key with too many parts; 0 if there is none.
  int line_of_deep_key() {
    int dots = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_text(c);
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      if (c == '.' && ++dots >= static_cast<int>(most_key_parts)) return line();
      const bool goes_on = c == '.' || c == '_' || c == '-' || c == '+' || c == ' ' || c == '\t' ||
                           std::isalnum(static_cast<unsigned char>(c)) != 0;
      if (!goes_on) dots = 0;
      ++at_;
    }
    return 0;
  }

 private:
  /// Goes past a quoted text; three quotes begin one of several lines.
  void skip_text(char quote) {
    const std::string three(3, quote);
    const bool is_long = text_.substr(at_, 3) == three;
    at_ += is_long ? 3 : 1;
    while (at_ < text_.size()) {
      if (text_[at_] == '\\' && quote == '"') {
        at_ += 2;
      } else if (is_long ? text_.substr(at_, 3) == three : text_[at_] == quote) {
        at_ += is_long ? 3 : 1;
        return;
      } else if (!is_long && text_[at_] == '\n') {
        return;  // not TOML: the parser will say so
      } else {
        ++at_;
      }
    }
  }

  [[nodiscard]] int line() const {
    return 1 + static_cast<int>(std::ranges::count(text_.substr(0, at_), '\n'));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& path) {
  if (const int line = KeyScan(text).line_of_deep_key(); line > 0)
    throw Error(Errc::bad_input, fmt::format("{}:{}: a key of more than {} dotted parts", path,
                                             line, most_key_parts));
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw Error(Errc::bad_input, fmt::format("{}:{}: not TOML: {}", path, error.source().begin.line,
                                             error.description()));
  }
}

}  // namespace blockyard::input
