// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string_view>

#include "blockyard/base/error.h"

/// What we add to the JSON library, which those who include this choose.
namespace blockyard::base {

/// The JSON of a text, as a `Json` of nlohmann's; of what is not JSON, a discarded value. `look` is
/// called as the library's parser calls it: (depth, event, value), true to keep what was parsed.
/// Throws Error{bad_input} if values are nested more than 100 deep: whatever walks through them
/// recurses, and might exhaust the stack.
template <class Json, class Look>
[[nodiscard]] Json parse_shallow(std::string_view text, const Look& look) {
  constexpr int most = 100;
  return Json::parse(
      text,
      [&](int depth, typename Json::parse_event_t event, Json& parsed) {
        if (depth > most) throw Error(Errc::bad_input, "its JSON is nested too deeply");
        return look(depth, event, parsed);
      },
      false);
}

template <class Json>
[[nodiscard]] Json parse_shallow(std::string_view text) {
  return parse_shallow<Json>(text, [](const auto&...) { return true; });
}

/// What an error of the JSON library says, without the library's number for it.
[[nodiscard]] inline std::string_view reason_in_json(const std::exception& error) {
  const std::string_view text = error.what();
  constexpr std::string_view end = "] ";
  const std::size_t at = text.find(end);
  return text.substr(at == text.npos ? 0 : at + end.size());
}

}  // namespace blockyard::base
