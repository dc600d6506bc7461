// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace blockyard::bench {

/// Seconds of a number of items from each of two ranks, whose update takes `update_seconds`, up to
/// `variation` of it more or less, and whose way to the other rank takes `transfer_seconds`. The
/// lock step has no variation.
struct OverlapTimes {
  double ring = 0;
  double updates = 0;  ///< of the rank with the longer ones
  double lock_step = 0;
};
[[nodiscard]] OverlapTimes measure_overlap(double update_seconds, double transfer_seconds,
                                           double variation, int items);

}  // namespace blockyard::bench
