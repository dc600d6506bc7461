// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace blockyard::job {

/// "0.1.0": that of the CMake project.
[[nodiscard]] std::string_view version() noexcept;

}  // namespace blockyard::job
