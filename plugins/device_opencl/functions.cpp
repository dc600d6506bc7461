// SPDX-License-Identifier: Apache-2.0
#include "plugins/device_opencl/functions.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "plugins/device_opencl/functions_source.h"

namespace blockyard::opencl {
namespace {

bool names(std::string_view text, std::string_view word) {
  const auto goes_on = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    if ((at == 0 || !goes_on(at - 1)) && !goes_on(at + word.size())) return true;
  return false;
}

}  // namespace

const char* function_text() { return functions_source; }

bool names_functions(std::string_view text) {
  constexpr std::array<std::string_view, 5> words = {"exp", "log", "erfc", "sin", "cos"};
  return std::ranges::any_of(words, [text](std::string_view word) { return names(text, word); });
}

}  // namespace blockyard::opencl
