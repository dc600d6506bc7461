// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a process says before it ends its whole job.
#pragma once

#include <string_view>

namespace blockyard::base {

/// Writes `text` to standard error, after what standard output still holds, and waits, for at
/// most a second, until pipes that lead to a launcher have been read. An abort that comes sooner
/// may overtake the text: MPICH's launcher drops what it has not read by then.
void say_last_words(std::string_view text) noexcept;

}  // namespace blockyard::base
