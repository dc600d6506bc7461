// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "blockyard/blas/router/costs.h"

namespace blockyard::blas {

/// The measurements of `blockyard offload calibrate`: the first guess of the router,
/// and its only basis in deterministic mode.
struct Calibration {
  static constexpr std::string_view letters = "sdcz";
  double latency_seconds = 0;
  double up_rate = 0;                   ///< bytes a second
  double down_rate = 0;                 ///< bytes a second
  std::array<double, 4> local_rate{};   ///< flops a second of products, by element type
  std::array<double, 4> device_rate{};  ///< the same there
  friend bool operator==(const Calibration&, const Calibration&) = default;

  /// Of products of an element type; another letter: of other calls, for which only the link is
  /// known.
  [[nodiscard]] Guess guess(char letter) const noexcept;
};

/// Lines "name value".
[[nodiscard]] std::string format_calibration(const Calibration& calibration);
/// Nothing: it is not complete, or not of this form.
[[nodiscard]] std::optional<Calibration> parse_calibration(std::string_view text);

/// The file of a server, however its address is written: below `cache` (of XDG_CACHE_HOME), or
/// .cache in the folder `home`; empty where there is neither.
[[nodiscard]] std::string calibration_path(std::string_view server, const char* cache,
                                           const char* home);
/// Nothing if the file does not exist or is invalid.
[[nodiscard]] std::optional<Calibration> read_calibration(const std::string& path);

}  // namespace blockyard::blas
