// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "blockyard/lsp/message.h"
#include "blockyard/sial/symbols.h"

namespace blockyard::lsp {

/// What the operands of a super instruction are, while they are being written: the protocol's
/// SignatureHelp. `begun` is the line up to the cursor, `names` what the program declares. Null if
/// the line executes nothing that is known.
[[nodiscard]] Json signature_help(std::string_view begun,
                                  const std::vector<sial::DeclaredName>& names);

}  // namespace blockyard::lsp
