// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "apps/blockyard/commands.h"

namespace blockyard::app {

/// `blockyard offload run`: a program with the library loaded before its own.
void add_offload_run(CLI::App& offload, Commands& commands);

/// `blockyard offload calibrate`: the first guess of what calls take there and here.
void add_offload_calibrate(CLI::App& offload, Commands& commands);

/// `blockyard offload status`: what a server lends, and who uses it.
void add_offload_status(CLI::App& offload, Commands& commands);

/// The socket of this user's server. makes_folder: for a server that is to listen there.
[[nodiscard]] std::string default_offload_address(bool makes_folder);

}  // namespace blockyard::app
