// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace blockyard::app {

/// While an exception is handled: tells it on standard error, if `is_told`. Returns the exit code.
[[nodiscard]] int end_by_exception(bool is_told = true);

}  // namespace blockyard::app
