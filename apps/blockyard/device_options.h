// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "blockyard/job/spec.h"

namespace blockyard::app {

/// What a command line says of devices; empty where it says nothing.
struct DeviceOptions {
  std::string kind;
  std::optional<int> count;
  std::string memory;
  std::string options;
  std::string placement;
  std::string network;
  std::string after;
  bool respect_hints = false;
  bool without_intents = false;
  bool without_page_locks = false;
  bool without_pools = false;
  std::optional<int> streams;
};

void add_device_options(CLI::App& command, DeviceOptions& options);
/// Puts what the command line says in, which wins. Options of the plug-in are forgotten with the
/// kind that they were for. Throws Error{bad_input}.
void merge(const DeviceOptions& options, job::DeviceSpec& device);

}  // namespace blockyard::app
