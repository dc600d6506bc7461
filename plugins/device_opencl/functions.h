// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace blockyard::opencl {

/// Lines for the beginning of a text: with them exp, log, erfc, sin and cos of f32 are functions of
/// ours, which become vectors in a loop. They need f64.
[[nodiscard]] const char* function_text();
/// Whether a text names one of them.
[[nodiscard]] bool names_functions(std::string_view text);

}  // namespace blockyard::opencl
