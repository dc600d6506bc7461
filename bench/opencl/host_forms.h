// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace blockyard::bench {

/// A program of range_programs.h in C++ with the functions of the C library: elements first to
/// end - 1 of the whole grid.
using HostForm = void (*)(long first, long end, const float* a, float* out);

/// Null: there is none, for the program calls no mathematical function.
[[nodiscard]] HostForm host_form(std::string_view entry);

}  // namespace blockyard::bench
