// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "blockyard/sial/diagnostic.h"

namespace blockyard::sial {

/// A source in the one layout: indentation 2, the new notation (a[i,j], 1:norb, print x, else if),
/// spaces set by rule. Comments, line breaks by `&` and single empty lines stay. Formatting twice
/// is formatting once. `text` is the source unchanged if `found` has an error.
struct Formatted {
  std::string text;
  std::vector<Diagnostic> found;
};

[[nodiscard]] Formatted format(std::string_view source, std::string_view path = "text.sial");

}  // namespace blockyard::sial
