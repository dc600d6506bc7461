// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blockyard/program/program.h"

namespace blockyard::program::detail {

/// For tests and fuzzers: runs a program as a worker would, but takes every decision (branches,
/// loop lengths, where) by chance, and checks at each step what a worker does not check because
/// `verify` has proved it. Throws std::logic_error at a step that no accepted program may make.
void walk_at_random(const Program& program, unsigned seed, int most_steps);

}  // namespace blockyard::program::detail
