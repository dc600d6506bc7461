// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "blockyard/aces/zmat/lines.h"

namespace blockyard::aces::zmat {

/// One KEY=value where it stands.
struct Keyword {
  Line line;
  std::string key;    ///< lower case
  std::string value;  ///< lower case
};

/// The keywords of a ZMAT in their order: split at commas and at the ends of lines, but not inside
/// of brackets. Throws Error{bad_input}, with the line, where one is not of the form KEY=value.
[[nodiscard]] std::vector<Keyword> split_keywords(const Parts& parts);

}  // namespace blockyard::aces::zmat
