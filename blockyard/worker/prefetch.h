// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace blockyard::worker {

/// How many blocks each get line asks for before the program comes to them.
struct PrefetchDepth {
  bool is_auto = true;  ///< chosen for each line from measured times
  int fixed = 0;        ///< otherwise: 0 (none) .. most
  static constexpr int most = 64;
  friend bool operator==(const PrefetchDepth&, const PrefetchDepth&) = default;
};

/// Reads "auto" or a number. Throws Error{bad_input}.
[[nodiscard]] PrefetchDepth parse_prefetch(std::string_view text);

/// The measurements of one get line, and the depth chosen from them.
struct DepthChoice {
  int depth = 2;
  double transfer_seconds = 0;        ///< request to arrival, of blocks that were waited for
  double period_seconds = 0;          ///< work between two gets of the line
  int ceiling = PrefetchDepth::most;  ///< less after waste
  std::uint64_t wasted = 0;           ///< prefetched, and evicted before use
  std::uint64_t no_room = 0;          ///< not prefetched: no memory left

  /// A block of the line was waited for: enough are asked for early that a transfer takes no longer
  /// than the work on those before it.
  void waited(double transfer, double period);
  /// A prefetched block was evicted before its use: half as many from now on.
  void waste();
  /// The line ran `count` times without waste.
  void went_well(std::uint64_t count);
  /// Why the depth is what it is.
  [[nodiscard]] std::string reason() const;
};

}  // namespace blockyard::worker
