// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "blockyard/plan/machine.h"

namespace blockyard::app {

/// Where `blockyard calibrate` keeps the rates of this machine for this user:
/// $XDG_CONFIG_HOME/blockyard/machine.toml, or in ~/.config. Empty without a home.
[[nodiscard]] std::string machine_file();

/// The machine of `given`; if that is empty, of machine_file(); if there is none, an assumed one
/// with the cores of this machine. Throws Error for an invalid file.
[[nodiscard]] plan::Machine find_machine(const std::string& given);

}  // namespace blockyard::app
