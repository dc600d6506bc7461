// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace blockyard::blas {

enum class Where { automatic, local, remote, both };

/// What the environment says (docs/offload.md).
struct Settings {
  std::string server;  ///< empty: everything is computed here
  std::string token;   ///< file
  Where place = Where::automatic;
  bool logs_calls = false;
  bool is_quiet = false;
  bool is_deterministic = false;
  bool is_checking = false;
  std::string calibration;                 ///< file of what was measured of the server
  std::optional<std::int64_t> kept_bytes;  ///< nothing: as much as the device gives
  std::string report;                      ///< file; empty: none
};

/// Reads BLOCKYARD_OFFLOAD and its like. A value that makes no sense counts as not set, with a line
/// on standard error: a library in somebody's program does not end it.
[[nodiscard]] Settings read_settings();

/// A line on standard error that begins with "blockyard: ".
void say(const std::string& text) noexcept;

}  // namespace blockyard::blas
