// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/decimal.h"

#include <fmt/format.h>

namespace blockyard::base {

std::string decimal(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", value, digits);
  if (text.starts_with('-') && text.find_first_not_of("-0.") == text.npos) text.erase(0, 1);
  return text;
}

}  // namespace blockyard::base
