// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "blockyard/job/spec.h"

namespace blockyard::job {

/// Reads a job file (docs/how_to/job_file.md). Names of files in it are relative to its folder.
/// Throws Error{io} if it cannot be read, and Error{bad_input} that begins with "file:line:" for a
/// key that is not known (it names the nearest one), a value of another type or out of range, or
/// keys that do not go together.
[[nodiscard]] Spec read_job_file(const std::string& path);

/// The same for a text; `path` names it in errors, `folder` is what its files are relative to.
[[nodiscard]] Spec parse_job(std::string_view text, const std::string& path,
                             const std::string& folder);

/// "norb=4" or "scf_conv=1e-9" of the command line: an int constant if the value is an integer,
/// otherwise a scalar constant. Replaces what was there. Throws Error{bad_input}.
void set_constant(Spec& spec, std::string_view text);

/// "ao=5,6,7,8": the extents of every segment of a kind. "occupied=16" or "virtual=24" with a
/// molecule: sizes wanted. "subsegment=4". Throws Error{bad_input}.
void set_segments(Spec& spec, std::string_view text);

/// What parse_policy knows.
inline constexpr std::array<std::string_view, 5> policy_names = {"sequential", "static", "balanced",
                                                                 "dynamic", "locality"};

/// Throws Error{bad_input} unless the name is sequential, static, balanced, dynamic or locality.
[[nodiscard]] program::Policy parse_policy(std::string_view name);

/// In lower case. Throws Error{bad_input} unless it is auto, none, cuda, opencl or sim.
[[nodiscard]] std::string parse_device_kind(std::string_view name);

/// Whether the placement is `learned` and not `device`. Throws Error{bad_input}.
[[nodiscard]] bool parse_placement(std::string_view name);

/// on or off; nothing for auto. Throws Error{bad_input} for anything else.
[[nodiscard]] std::optional<bool> parse_device_network(std::string_view name);

/// Throws Error{bad_input} if there is neither a method nor a program, both, a method without a
/// molecule, or a molecule without a basis, with what to add.
void check_spec(const Spec& spec);

}  // namespace blockyard::job
