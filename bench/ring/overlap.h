// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace blockyard::bench {

/// Seconds of a number of items from each of two ranks, whose update takes `update_seconds` and
/// whose way to the other rank takes `transfer_seconds`.
struct OverlapTimes {
  double ring = 0;
  double lock_step = 0;
};
[[nodiscard]] OverlapTimes measure_overlap(double update_seconds, double transfer_seconds,
                                           int items);

}  // namespace blockyard::bench
