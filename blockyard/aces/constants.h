// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "blockyard/input/spec.h"
#include "blockyard/method/chemistry.h"
#include "blockyard/program/program.h"
#include "blockyard/worker/environment.h"

namespace blockyard::aces {

/// Constants by name, in lower case.
struct AcesConstants {
  std::map<std::string, std::int64_t, std::less<>> ints;
  std::map<std::string, double, std::less<>> scalars;
};

/// The constants by which programs written for ACES ask about a molecule and the options of its
/// computation, with the values that ACES gives them (docs/porting.md has the list). `method`: the
/// options that the job gives; for others the usual values of ACES hold, which are not ours.
[[nodiscard]] AcesConstants aces_constants(const method::Chemistry& chemistry,
                                           const input::MethodSpec& method);

/// Whether a program asks for a constant of the spin orbitals, or long segments, that our programs
/// have in the kind mo.
[[nodiscard]] bool wants_our_orbitals(const program::Program& program);

/// Gives the kind mo the segments of the kind moa, as ACES has them, and takes our constants of
/// that kind away.
void set_aces_orbitals(const method::Chemistry& chemistry, worker::Environment& environment);

/// A program of the user's own that makes orbitals, since it executes return_h1 and eigen_calc or
/// eigen_calc_sqr_inv, needs all of them: for it the frozen ones count as active occupied ones.
/// Changes its predefined baocc, naoccorb and those of beta into values of its own.
void give_all_orbitals(const worker::Environment& environment, program::Program& program);

}  // namespace blockyard::aces
