// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace blockyard::app {

/// Which server a command of `blockyard offload` asks, and as whom.
struct ServerChoice {
  std::string server;
  std::string token;
  int sockets = 1;
  bool has_server = false, has_sockets = false;  ///< whether the command line says it

  /// --server, --token and --sockets.
  void add_to(CLI::App& command, const std::string& where);
  /// That of this user, where none was given. Throws UsageError for what device_options() could
  /// not hold: its words end at blanks.
  void fill_in();
  /// Of a remote device (docs/devices.md).
  [[nodiscard]] std::string device_options(const std::string& of_server) const;
};

/// Throws UsageError, with the kinds that there are, if devices of this one cannot be lent.
void check_can_lend(const std::string& kind);

}  // namespace blockyard::app
