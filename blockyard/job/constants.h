// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "blockyard/input/spec.h"
#include "blockyard/job/job.h"

/// The constants that the user gives a job.
namespace blockyard::job {

/// Names of constants that a job knows without the user's; programs may declare one as both.
struct KnownConstants {
  using Names = std::set<std::string, std::less<>>;
  Names all;
  Names ints;
  Names scalars;
};

/// Puts the user's constants into an environment that has those of the job, and returns the latter.
/// An integer for a scalar is that number. Throws Error{bad_input} if one is an option of the
/// method, which has shaped the job before.
[[nodiscard]] KnownConstants give_constants(const input::Spec& spec,
                                            worker::Environment& environment);

/// Adds what a program declares, used or not.
void add_declared(const program::Program& program, KnownConstants& known);

/// Throws Error{bad_input} if the user gives a constant that the job does not know, or a fraction
/// for an int: a value without effect would be taken for a wish granted. Super instructions of the
/// user's may ask for any name.
void check_constants(const input::Spec& spec, const Job& job, const KnownConstants& known);

}  // namespace blockyard::job
