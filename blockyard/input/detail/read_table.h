// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <array>
#include <string>

#include "blockyard/input/spec.h"

namespace blockyard::input::detail {

/// The keys of [molecule] and [basis].
inline constexpr std::array molecule_keys = {"geometry", "file",         "units",
                                             "charge",   "multiplicity", "variables"};
inline constexpr std::array basis_keys = {"name",      "file",           "text", "spherical",
                                          "auxiliary", "auxiliary_file", "ecp",  "atoms"};

/// The job of a whole job file: parse_job (job_file.h) without the reading of its text.
[[nodiscard]] Spec read_table(const toml::table& top, const std::string& path,
                              const std::string& folder);

}  // namespace blockyard::input::detail
