// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "blockyard/input/spec.h"

/// Single values, of the command line or of a job file.
namespace blockyard::input {

/// "norb=4" or "scf_conv=1e-9" of the command line: an int constant if the value is an integer,
/// otherwise a scalar constant, which the job must know. Replaces what was there. Throws
/// Error{bad_input}.
void set_constant(Spec& spec, std::string_view text);

/// "ao=5,6,7,8": the extents of every segment of a kind. "occupied=16" or "virtual=24" with a
/// molecule: sizes wanted. "subsegment=4". Throws Error{bad_input}.
void set_segments(Spec& spec, std::string_view text);

/// The names that parse_policy accepts.
inline constexpr std::array<std::string_view, 5> policy_names = {"sequential", "static", "balanced",
                                                                 "dynamic", "locality"};

/// Throws Error{bad_input} unless the name is sequential, static, balanced, dynamic or locality.
[[nodiscard]] program::Policy parse_policy(std::string_view name);

/// In lower case. Throws Error{bad_input} unless it is auto, none, cuda, opencl or sim.
[[nodiscard]] std::string parse_device_kind(std::string_view name);

/// Whether the placement is `learned` and not `device`. Throws Error{bad_input}.
[[nodiscard]] bool parse_placement(std::string_view name);

/// NAME of a guess "basis:NAME", orbitals of SCF in another basis; empty: it is a file, or none.
[[nodiscard]] std::string guess_basis(std::string_view guess);

/// on or off; nothing for auto. Throws Error{bad_input} for anything else.
[[nodiscard]] std::optional<bool> parse_device_network(std::string_view name);

}  // namespace blockyard::input
