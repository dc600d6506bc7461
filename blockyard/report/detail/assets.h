// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// The files of the page, in the program.
namespace blockyard::report::assets {

[[nodiscard]] std::string_view html() noexcept;
[[nodiscard]] std::string_view css() noexcept;
[[nodiscard]] std::string_view js() noexcept;
/// Chart.js; empty if it was not there when this was built.
[[nodiscard]] std::string_view chart() noexcept;

}  // namespace blockyard::report::assets
