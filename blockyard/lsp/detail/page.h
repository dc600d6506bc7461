// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace blockyard::lsp::detail {

/// docs/super_instructions.md; room.cmake makes the source.
[[nodiscard]] std::string_view super_instructions_page() noexcept;

}  // namespace blockyard::lsp::detail
