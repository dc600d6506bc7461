// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace blockyard::blas {

enum class Where { automatic, local, remote, both };

/// A device of a server: "gpu7:7464" is its first one, "gpu7:7464#1" the second.
struct Server {
  std::string address;
  int device = 0;
};

/// One of a list; what is not a number after '#' belongs to the address.
[[nodiscard]] Server parse_server(const std::string& word);

/// What the environment says (docs/offload.md).
struct Settings {
  std::vector<Server> servers;  ///< none: everything is computed here
  std::string token;            ///< file
  std::string sockets;          ///< of a connection; empty: one
  Where place = Where::automatic;
  bool logs_calls = false;
  bool is_quiet = false;
  bool is_deterministic = false;
  bool is_checking = false;
  std::string calibration;                 ///< file of what was measured of the server
  std::optional<std::int64_t> kept_bytes;  ///< nothing: as much as the device gives
  std::string report;                      ///< file; empty: none
};

/// Reads BLOCKYARD_OFFLOAD and its like. An invalid value counts as not set, with a line
/// on standard error: a library must not end the user's program.
[[nodiscard]] Settings read_settings();

/// A line on standard error that begins with "blockyard: ".
void say(const std::string& text);

}  // namespace blockyard::blas
